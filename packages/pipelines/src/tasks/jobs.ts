import type { TermsName } from '@kith/core'
import type { TextEntry } from '@kith/ir'
import type { AuditedQuery, AuditSliceInputs } from '../audit/audit-slice.ts'
import type { PreparedBatch } from '../join/prepared-texts.ts'
import type { LabelLayout } from '../labels/label-format.ts'
import type { LabelSliceInputs, LabelSliceTask, SliceResults } from '../labels/label-slice.ts'
import type { QueryLabels } from '../labels/query-labels.ts'
import type { RerankedSlice, RerankSliceInputs } from '../rerank/rerank-slice.ts'
import type { Job } from './job.ts'
import type { SliceTask } from './open-run.ts'

/** The inputs, tasks and answers of each kind of job; all can be handed to a worker thread. */
export interface Jobs {
  prepare: { inputs: { terms: TermsName }; task: TextEntry[]; answer: PreparedBatch }
  rerank: { inputs: RerankSliceInputs; task: SliceTask; answer: RerankedSlice }
  labels: {
    inputs: LabelSliceInputs & { layout: LabelLayout }
    task: LabelSliceTask
    answer: SliceResults<QueryLabels>
  }
  audit: { inputs: AuditSliceInputs; task: LabelSliceTask; answer: SliceResults<AuditedQuery> }
}

export type JobName = keyof Jobs

type Opener<Name extends JobName> = (
  inputs: Jobs[Name]['inputs'],
) => Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>>

/** Each is loaded when it is opened, since a worker does one of them. */
const openers: { [Name in JobName]: () => Promise<Opener<Name>> } = {
  prepare: async () => (await import('../join/prepared-texts.ts')).openPrepareJob,
  rerank: async () => (await import('../rerank/rerank-slice.ts')).openRerankSliceJob,
  labels: async () => (await import('../labels/label-slice.ts')).openLabelSliceJob,
  audit: async () => (await import('../audit/audit-slice.ts')).openAuditSliceJob,
}

/** Opens a job with its inputs. */
export async function openJob<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
): Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>> {
  const open = (await openers[name]()) as Opener<Name>
  return open(inputs)
}
