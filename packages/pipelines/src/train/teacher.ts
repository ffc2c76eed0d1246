import { KithError, type PartialDistilSettings } from '@kith/core'
import { resolveDistilSettings } from '@kith/core/internal'
import { readRun } from '@kith/ir'
import type { TrainingQuery } from '@kith/train'
import type { Join } from '../join/join.ts'
import type { StatisticsSource } from '../join/statistics.ts'
import { type NeededTexts, RankingTeacher } from './ranking-teacher.ts'
import { RunTeacher } from './run-teacher.ts'

/** The ranking that a training without labels learns from. */
export interface TeacherInputs extends PartialDistilSettings {
  /** A run of any teacher, such as a cross-encoder; default: the ranking of `rerankRun` by its defaults. */
  run?: string | undefined
  /** Texts of the documents, which the ranking by defaults takes. */
  corpus?: string | undefined
  /** Texts of the queries; an encoder's queries are texts themselves. */
  queryText?: string | undefined
  /** Whose terms are counted for the words score; default: those of the corpus. */
  statistics?: StatisticsSource | undefined
}

/** Labels by a teacher: documents by their rows, best first, with probabilities. */
export type TaughtLabels = NonNullable<TrainingQuery['labels']>

/** Makes labels without judgments, from a ranking that is better than the one that learns. */
export interface Teacher {
  /** Whether it takes the query's embedding by the model as it was before the training. */
  readonly needsEmbedding: boolean
  /** The files that it reads. */
  readonly files: readonly string[]
  /** Labels of a query's documents; undefined where the teacher has none, which the join's report says. */
  teach(
    query: TrainingQuery,
    embedding: Float32Array | undefined,
    join: Join,
  ): TaughtLabels | undefined
}

/** Opens the teacher that the inputs name. */
export async function openTeacher(inputs: TeacherInputs, needed: NeededTexts): Promise<Teacher> {
  const { run, depth, sharpness, corpus, queryText, statistics } = inputs
  const settings = resolveDistilSettings({ depth, sharpness })
  if (run === undefined) {
    return RankingTeacher.open({ corpus, queryText, statistics, settings }, needed)
  }
  if (corpus !== undefined || statistics !== undefined) {
    throw new KithError('BAD_SETTING', 'a run teaches by itself: leave out corpus and statistics')
  }
  return new RunTeacher(run, await readRun(run), settings)
}
