import { version } from '@kith/base'
import { z } from 'zod'
import { BATCH_TEXTS } from '../embedder.ts'
import type { Route, Services } from './route.ts'

const JSON_TYPE = 'application/json'

/** The statuses of error answers, with a description. */
const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The body is not JSON.',
  401: 'The API key is missing or wrong.',
  413: 'The body, a text or the number of documents is too large.',
  422: 'A field is missing or wrong.',
  429: 'The server is overloaded; retry after the time in Retry-After.',
  503: 'The request took too long, or the server is stopping.',
}

/** Builds the OpenAPI 3.1 description of a server. */
export function openApi(routes: readonly Route[]): object {
  const paths = routes.map(({ path, summary, body, answer, errors }) => [
    path,
    {
      post: {
        summary,
        security: [{}, { key: [] }, { azure: [] }],
        requestBody: { required: true, content: json(schema(body, 'input')) },
        responses: {
          200: { description: 'The response.', content: json(schema(answer, 'output')) },
          ...Object.fromEntries(
            Object.entries(PROBLEMS).map(([status, description]) => [
              status,
              { description, content: json({ examples: [errors(Number(status), description)] }) },
            ]),
          ),
        },
      },
    },
  ])
  const text = (summary: string, type: string) => ({
    get: { summary, responses: { 200: { description: summary, content: { [type]: {} } } } },
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'kith serve',
      version: '1',
      description:
        'Reranks documents by reciprocal nearest neighbors, through the APIs of Cohere, Jina, Voyage, OpenAI and text-embeddings-inference.',
    },
    paths: {
      ...Object.fromEntries(paths),
      '/info': text(
        'The model and the limits, in the format of text-embeddings-inference.',
        JSON_TYPE,
      ),
      '/v1/models': text('The model, in the format of OpenAI.', JSON_TYPE),
      '/healthz': text('Whether the server accepts requests.', JSON_TYPE),
      '/metrics': text('Metrics for Prometheus.', 'text/plain'),
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        azure: { type: 'apiKey', in: 'header', name: 'api-key' },
      },
    },
  }
}

function json(schema: object): object {
  return { [JSON_TYPE]: { schema } }
}

function schema(type: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...described } = z.toJSONSchema(type, { io })
  return described
}

/** The parts of a server that its descriptions need. */
type Told = Pick<Services, 'model' | 'embedder' | 'limits' | 'strict'>

/** Builds the answer of `/info` in text-embeddings-inference's format; Dify requests it first. */
export function teiInfo({ model, embedder, limits, strict }: Told): object {
  // An embeddings endpoint does not say where it truncates texts.
  const { maxTokens = 0 } = embedder ?? {}
  const most = Number.isFinite(maxTokens) ? maxTokens : 0
  return {
    model_id: model,
    model_sha: null,
    model_dtype: 'float32',
    // Clients read the first key as the type of the model, and refuse to rerank with another type.
    model_type: { reranker: { id2label: { 0: 'LABEL_0' }, label2id: { LABEL_0: 0 } } },
    max_concurrent_requests: limits.requests,
    max_input_length: most,
    max_batch_tokens: most * BATCH_TEXTS,
    max_batch_requests: BATCH_TEXTS,
    max_client_batch_size: limits.documents,
    auto_truncate: !strict,
    tokenization_workers: 1,
    version,
    sha: null,
    docker_label: null,
  }
}

/** Builds the answer of `/v1/models` in OpenAI's format, with one model. */
export function modelList({ model }: Told): object {
  const created = Math.floor(performance.timeOrigin / 1000)
  return { object: 'list', data: [{ id: model, object: 'model', created, owned_by: 'kith' }] }
}
