import type { DistilSettings } from '@kith/core'
import { distilTarget } from '@kith/core/internal'
import type { Run } from '@kith/ir'
import type { TrainingQuery } from '@kith/train'
import type { Join } from '../join/join.ts'
import type { TaughtLabels, Teacher } from './teacher.ts'

/** Teaches the scores of a run, whoever made it. */
export class RunTeacher implements Teacher {
  readonly needsEmbedding = false
  readonly files: readonly string[]
  readonly #run: Run
  readonly #settings: DistilSettings

  constructor(file: string, run: Run, settings: DistilSettings) {
    this.files = [file]
    this.#run = run
    this.#settings = settings
  }

  teach({ id }: TrainingQuery, _: unknown, join: Join): TaughtLabels | undefined {
    const ranking = this.#run.get(id)
    if (!ranking) {
      join.report.add('queries of the run are not in the teacher’s run', id)
      return undefined
    }
    const first = ranking.ids.slice(0, this.#settings.depth)
    const rows = join.documents('documents of the teacher’s run', first)
    const known = [...rows.keys()].filter((i) => rows[i] !== undefined)
    if (known.length === 0) return undefined
    const scores = known.map((i) => ranking.scores[i]!)
    return { rows: known.map((i) => rows[i]!), values: distilTarget(scores, this.#settings) }
  }
}
