/**
 * `npm run build`: builds all packages, or the packages named by their folders, each after the packages that it
 * imports. This process compiles one after the other; beside it, others make kernels and the page.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtPackages } from './build-state.mjs'
import { compile } from './compile.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const asked = process.argv.slice(2)
const packages = builtPackages(root).map((folder) => [folder, packageOf(folder)])
const isAsked = ([folder]) => asked.length === 0 || asked.includes(folder)
const waiting = new Map(packages.filter(isAsked))
const built = new Set(packages.filter((one) => !isAsked(one)).map(([, { name }]) => name))
let inProgress = 0
startReady()

/** Starts the packages whose imports are all built; called again as each is done. */
function startReady() {
  for (const [folder, { name, script, imports }] of waiting) {
    if (inProgress === availableParallelism()) return
    if (!imports.every((other) => built.has(other))) continue
    waiting.delete(folder)
    inProgress++
    run(folder, script).then(() => {
      built.add(name)
      inProgress--
      startReady()
    })
  }
  if (inProgress === 0 && waiting.size > 0) {
    throw new Error(
      `these packages import each other in a circle: ${[...waiting.keys()].join(', ')}`,
    )
  }
}

/** A package's name, its script, and the packages of Kith that it imports. */
function packageOf(folder) {
  const read = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const { name, scripts, dependencies, devDependencies, peerDependencies } = read
  const imports = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
  return { name, script: scripts.build, imports: imports.filter((one) => one.startsWith('@kith/')) }
}

/** Does what a package's script says, in its folder; if it fails, so does this program. */
async function run(folder, script) {
  for (const step of script.split(' && ')) {
    const config = /^tsc -p (\S+)$/.exec(step)?.[1]
    const problem = config ? compile(join(root, folder, config)) : await start(folder, step)
    if (!problem) continue
    console.error(`${problem}\nkith: the build of ${folder} failed: ${step}`)
    process.exit(1)
  }
}

/** Starts a program in a package's folder, as npm does; what went wrong, if anything. */
function start(folder, command) {
  const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  const options = { cwd: join(root, folder), shell: true, env: { ...process.env, PATH } }
  const child = spawn(command, { ...options, stdio: 'inherit' })
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code === 0 ? undefined : `exit code ${code}`))
  })
}
