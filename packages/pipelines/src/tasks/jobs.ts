import type { Finding, Labels, Ranking } from '@kith/core'
import { type AuditJobInputs, openAuditJob } from '../audit/audit-job.ts'
import type { AuditTask } from '../audit/audit-tasks.ts'
import { type LabelInputs, openLabelJob } from '../label/label-job.ts'
import type { LabelTask } from '../label/label-tasks.ts'
import { openRerankJob, type RerankInputs } from '../rerank/rerank-job.ts'
import {
  openRerankSliceJob,
  type RerankedSlice,
  type RerankSliceInputs,
} from '../rerank/rerank-slice.ts'
import type { RerankTask } from '../rerank/rerank-tasks.ts'
import type { Job, QueryTask } from './job.ts'
import { namedError } from './named-error.ts'
import type { SliceTask } from './open-run.ts'

/** The inputs, tasks and answers of each kind of job; all can be handed to a worker thread. */
export interface Jobs {
  rerank: { inputs: RerankInputs; task: RerankTask; answer: Ranking }
  'rerank-slice': { inputs: RerankSliceInputs; task: SliceTask; answer: RerankedSlice }
  label: { inputs: LabelInputs; task: LabelTask; answer: Labels }
  audit: { inputs: AuditJobInputs; task: AuditTask; answer: Finding[] }
}

export type JobName = keyof Jobs

type Opener<Name extends JobName> = (
  inputs: Jobs[Name]['inputs'],
) => Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>>

const openers: { [Name in JobName]: Opener<Name> } = {
  rerank: named(openRerankJob),
  'rerank-slice': openRerankSliceJob,
  label: named(openLabelJob),
  audit: named(openAuditJob),
}

/** A job whose errors name the query. */
function named<Inputs, Task extends QueryTask, Answer>(
  open: (inputs: Inputs) => Promise<Job<Task, Answer>>,
): (inputs: Inputs) => Promise<Job<Task, Answer>> {
  return async (inputs) => {
    const job = await open(inputs)
    return {
      run(task) {
        try {
          return job.run(task)
        } catch (error) {
          throw namedError(error, task)
        }
      },
      close: () => job.close(),
    }
  }
}

/** Opens a job with its inputs. */
export function openJob<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
): ReturnType<Opener<Name>> {
  return (openers[name] as Opener<Name>)(inputs) as ReturnType<Opener<Name>>
}
