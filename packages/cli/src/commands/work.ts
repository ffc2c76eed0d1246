import { workBatches } from '@kith/pipelines/batches'
import { jobDefaults } from '@kith/pipelines/job'
import { defineCommand } from '../options/command.ts'
import { workerOption } from '../options/shared-options.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { isSet, optionalText, optionalWhole } from '../options/values.ts'
import { Stopped } from '../terminal/stop.ts'

/** `kith work`: runs the jobs of submitted batches on this machine. */
export const workCommand = defineCommand({
  name: 'work',
  description:
    'Runs jobs on all cores until you stop it; then it finishes the current jobs. Start it on as many\n' +
    'machines as you like. Workers may be killed and the database may restart: a job whose worker is\n' +
    'silent goes to another worker, and every query gets one result. A job that fails three times is\n' +
    'set aside; kith jobs shows its error. Ctrl-C and SIGTERM exit with code 0, or with 130 and 143\n' +
    'if --until-empty is set and jobs are left.',
  example: 'kith work --store postgres://localhost/kith',
  options: {
    ...databaseOption,
    batch: { value: 'NAME', help: 'run the jobs of this batch only', default: 'all batches' },
    'until-empty': { help: 'exit when no job is left, instead of waiting for new jobs' },
    lease: {
      value: 'SECONDS',
      help: 'give a job to another worker after this many seconds without a sign of life',
      default: String(jobDefaults.lease),
    },
    ...workerOption,
  },
  async run(values, output, stop) {
    const inputs = {
      store: readDatabase(values),
      batch: optionalText(values, 'batch'),
      workers: optionalWhole(values, 'workers'),
      lease: optionalWhole(values, 'lease'),
      untilEmpty: isSet(values, 'until-empty'),
    }
    const { queries, failures, left } = await stop.untilStopped(
      (signal) => workBatches(inputs, output.hooks(signal)),
      {
        onStop: () => output.remark('stopping: finishing the current jobs'),
        next: 'no jobs to run',
      },
    )
    output.result(
      { queries, failures, left },
      `${queries} queries done, ${failures} failed attempts`,
    )
    if (left > 0)
      throw new Stopped(`stopped; jobs left: ${left}; run the same command again to resume`)
  },
})
