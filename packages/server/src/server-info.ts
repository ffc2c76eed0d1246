import { createRequire } from 'node:module'
import { BATCH_TEXTS } from './embedder.ts'
import type { Services } from './route.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

/** The parts of a server that it tells clients about. */
type Told = Pick<Services, 'model' | 'embedder' | 'limits' | 'strict'>

/** The answer of `/info`, as text-embeddings-inference has it; Dify asks it before the first request. */
export function teiInfo({ model, embedder, limits, strict }: Told): object {
  const most = embedder?.maxTokens ?? 0
  return {
    model_id: model,
    model_sha: null,
    model_dtype: 'float32',
    // Clients read the first name as the kind of model, and refuse to rerank with another kind.
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

/** The answer of `/v1/models`, as OpenAI has it: there is one model. */
export function modelList({ model }: Told): object {
  const created = Math.floor(performance.timeOrigin / 1000)
  return { object: 'list', data: [{ id: model, object: 'model', created, owned_by: 'kith' }] }
}
