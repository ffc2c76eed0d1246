import { type LabelSettings, Reranker } from '@kith/core'
import { ContextRows, groundTruthOf, type LabelInputs } from '../label/label-job.ts'
import type { LabelTask } from '../label/label-tasks.ts'
import type { Job } from '../tasks/job.ts'

/** Everything that an audit takes. */
export interface AuditInputs extends LabelInputs {
  /** How many documents of a query are listed. */
  top: number
}

/** One query to audit. */
export interface AuditTask extends LabelTask {
  /** The places in `rows` of documents that nobody has judged. */
  unjudged: Uint32Array
}

/** An unjudged document and why it may be relevant; documents are places in the task's `rows`. */
export interface Finding {
  document: number
  evidence: number
  /** The relevant documents that are most similar to it. */
  vouchers: Voucher[]
}

/** A relevant document that speaks for another. */
export interface Voucher {
  document: number
  /** Of the embeddings. */
  similarity: number
  /** Of the reciprocal neighbourhoods. */
  jaccard: number
}

/** Relevant documents that are named for one that may be. */
const VOUCHERS = 3

/** Audits task after task. */
export class AuditJob implements Job<AuditTask, Finding[]> {
  readonly #method: Reranker
  readonly #rows: ContextRows
  readonly #inputs: AuditInputs

  private constructor(rows: ContextRows, inputs: AuditInputs) {
    this.#rows = rows
    this.#inputs = inputs
    this.#method = new Reranker(inputs.settings)
  }

  static async open(inputs: AuditInputs): Promise<AuditJob> {
    return new AuditJob(await ContextRows.open(inputs), inputs)
  }

  run(task: AuditTask): Finding[] {
    const { settings, top } = this.#inputs
    const { query, candidates } = this.#rows.of(task)
    const groundTruth = groundTruthOf(task)
    const { evidence } = this.#method.smoothLabels(query, candidates, groundTruth)
    const listed = [...task.unjudged]
      .sort((a, b) => evidence[b]! - evidence[a]! || a - b)
      .slice(0, top)
    const similar = this.#method.similarity(
      query.vector,
      candidates.vectors,
      groundTruth.candidates,
      neighbourSettings(settings),
    )
    return listed.map((document) => ({
      document,
      evidence: evidence[document]!,
      vouchers: groundTruth.candidates
        .map((known, l) => ({
          document: known,
          similarity: similar[l]!.geometric.toCandidates[document]!,
          jaccard: similar[l]!.jaccard.toCandidates[document]!,
        }))
        .sort((a, b) => b.similarity - a.similarity || a.document - b.document)
        .slice(0, VOUCHERS),
    }))
  }

  close(): void {
    this.#rows.close()
  }
}

const views = { vectors: { graph: 1, score: 1 } }

/** The settings of the neighbourhood alone, seen through the embeddings. */
function neighbourSettings({
  k,
  kExp,
  trust,
  overlap,
  weight,
  weightParameter,
  metric,
}: LabelSettings) {
  return { k, kExp, trust, overlap, weight, weightParameter, metric, mix: 'raw', views } as const
}
