import { availableParallelism } from 'node:os'
import { BatchPool, checkStudy } from '@kith/pipelines/internal'
import { patiently, Studies, type WorkEvent, work } from '@kith/work'
import { defineCommand } from '../options/command.ts'
import { workerOption } from '../options/shared-options.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { isSet, optionalWhole } from '../options/values.ts'

/** `kith work`: does the jobs of submitted studies, on this machine. */
export const workCommand = defineCommand({
  name: 'work',
  summary: 'do jobs that kith rerank or kith labels --submit put into PostgreSQL',
  description:
    'Takes job after job, on all cores, until it is told to stop: then it finishes what it has\n' +
    'begun. Start it on as many machines as there are. It may be killed, and the database may go\n' +
    'away and come back: a job whose worker was not heard of for a while goes to another one, and\n' +
    'every query has one result in the end. A job that fails three times is set aside; kith jobs\n' +
    'shows why.',
  example: 'kith work --store postgres://localhost/kith',
  options: {
    ...databaseOption,
    'until-empty': { help: 'end when no job is left, instead of waiting for new ones' },
    lease: {
      value: 'SECONDS',
      help: 'without a sign of life for so long, a job goes to another worker',
      default: '60',
    },
    ...workerOption,
  },
  async run(values, output, stop) {
    const address = readDatabase(values).replace(/#.*$/, '')
    const lanes = optionalWhole(values, 'workers') ?? availableParallelism()
    const lease = optionalWhole(values, 'lease') ?? 60
    const onWaiting = (message: string): void =>
      output.remark(`waiting for the database: ${message}`)
    // One for each job that is being finished, and one for signs of life.
    const studies = await patiently({ onWaiting }, () =>
      Studies.open(address, { most: lanes + 1, silence: lease }),
    )
    const pool = new BatchPool(address, lanes)
    let [queries, failures] = [0, 0]
    try {
      const onEvent = (event: WorkEvent): void => {
        if (event.kind === 'done') {
          queries += event.queries
          output.remark(`${event.study}: ${event.queries} queries done`)
        } else if (event.kind === 'failed') {
          failures++
          output.remark(`${event.study}: a job failed: ${event.message}`)
        } else onWaiting(event.message)
      }
      const untilEmpty = isSet(values, 'until-empty')
      const options = { lanes, lease, untilEmpty, onEvent }
      await stop.heed(
        (signal) =>
          work(studies, async (study, items) => pool.run(checkStudy(study), items), {
            ...options,
            signal,
          }),
        { onStop: () => output.remark('finishing what has begun …') },
      )
    } finally {
      await pool.close()
      await studies.close()
    }
    output.result({ queries, failures }, `${queries} queries done, ${failures} tries failed`)
  },
})
