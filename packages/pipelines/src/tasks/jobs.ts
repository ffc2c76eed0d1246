import type { Finding, Labels, Ranking, TokenizerName } from '@kith/core'
import type { TextEntry } from '@kith/ir'
import type { AuditJobInputs } from '../audit/audit-job.ts'
import type { AuditTask } from '../audit/audit-tasks.ts'
import type { PreparedBatch } from '../join/prepare-job.ts'
import type { LabelInputs } from '../label/label-job.ts'
import type { LabeledSlice, LabelSliceInputs, LabelSliceTask } from '../label/label-slice.ts'
import type { LabelTask } from '../label/label-tasks.ts'
import type { RerankInputs } from '../rerank/rerank-job.ts'
import type { RerankedSlice, RerankSliceInputs } from '../rerank/rerank-slice.ts'
import type { RerankTask } from '../rerank/rerank-tasks.ts'
import type { Job } from './job.ts'
import type { SliceTask } from './open-run.ts'

/** The inputs, tasks and answers of each kind of job; all can be handed to a worker thread. */
export interface Jobs {
  prepare: { inputs: { tokenizer: TokenizerName }; task: TextEntry[]; answer: PreparedBatch }
  rerank: { inputs: RerankInputs; task: RerankTask; answer: Ranking }
  'rerank-slice': { inputs: RerankSliceInputs; task: SliceTask; answer: RerankedSlice }
  label: { inputs: LabelInputs; task: LabelTask; answer: Labels }
  'label-slice': { inputs: LabelSliceInputs; task: LabelSliceTask; answer: LabeledSlice }
  audit: { inputs: AuditJobInputs; task: AuditTask; answer: Finding[] }
}

export type JobName = keyof Jobs

type Opener<Name extends JobName> = (
  inputs: Jobs[Name]['inputs'],
) => Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>>

/** Each is loaded when it is opened, since a worker does one of them. */
const openers: { [Name in JobName]: () => Promise<Opener<Name>> } = {
  prepare: async () => (await import('../join/prepare-job.ts')).openPrepareJob,
  rerank: async () => (await import('../rerank/rerank-job.ts')).openRerankJob,
  'rerank-slice': async () => (await import('../rerank/rerank-slice.ts')).openRerankSliceJob,
  label: async () => (await import('../label/label-job.ts')).openLabelJob,
  'label-slice': async () => (await import('../label/label-slice.ts')).openLabelSliceJob,
  audit: async () => (await import('../audit/audit-job.ts')).openAuditJob,
}

/** Opens a job with its inputs. */
export async function openJob<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
): Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>> {
  const open = (await openers[name]()) as Opener<Name>
  return open(inputs)
}
