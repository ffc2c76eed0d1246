/** Programs in fresh processes: their start and their memory count. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder of this checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** Arguments of Node that run one pipeline. */
export function fresh(pipeline, inputs, entry = '@kith/pipelines') {
  const program = `import { ${pipeline} } from '${entry}'
await ${pipeline}(JSON.parse(process.argv[1]))`
  return ['--input-type=module', '--eval', program, JSON.stringify(inputs)]
}

/** Wall-clock seconds, CPU seconds and peak memory of a command in a checkout, by GNU time. */
export function timed(command, cwd = root) {
  const { stderr, status, error } = spawnSync(
    '/usr/bin/time',
    ['-f', 'took %e %U %S %M', ...command],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd,
    },
  )
  if (error) throw new Error('GNU time is not installed (Debian: apt-get install time)')
  if (status !== 0) throw new Error(stderr)
  const [seconds, user, system, kilobytes] = /took (.*)/.exec(stderr)[1].split(' ').map(Number)
  return { seconds, cpu: user + system, megabytes: kilobytes / 1024 }
}
