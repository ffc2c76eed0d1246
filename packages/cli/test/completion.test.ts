import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { allCommands } from '../src/command-list.ts'
import { shells } from '../src/completion/completion-script.ts'
import { common } from '../src/options/command.ts'
import { succeed } from './support.ts'

const commands = await allCommands()

/** What bash offers for command lines whose last word is being typed, one list for each. */
function offered(...lines: string[]): string[][] {
  const program = `eval "$1"; shift
    complete -p kith >&2
    for line in "$@"; do
      read -ra COMP_WORDS <<< "$line"
      [[ $line == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _kith
      echo "\${COMPREPLY[*]}"
    done`
  const args = ['--norc', '-c', program, 'bash', succeed('completion', 'bash'), ...lines]
  const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' })
  expect(stderr).toBe('complete -o default -F _kith kith\n')
  const lists = stdout.split('\n').slice(0, -1)
  return lists.map((list) => list.split(' ').filter(Boolean))
}

test('completes commands, subcommands and options in bash, and file names otherwise', () => {
  const [all, some, second, option, two, train, wordnet, shell, file, unknown] = offered(
    ...['kith ', 'kith re', 'kith labels m', 'kith rerank --mis', 'kith labels merge --o'],
    ...['kith tune-t', 'kith dataset ', 'kith completion ', 'kith eval --run ', 'kith x --'],
  )
  const firsts = new Set(commands.map(({ name }) => name.split(' ')[0]))
  expect(new Set(all)).toEqual(firsts)
  expect(some).toEqual(['rerank', 'report'])
  expect(second).toEqual(['merge'])
  expect(option).toEqual(['--missing'])
  expect(two).toEqual(['--out'])
  expect(train).toEqual(['tune-training'])
  expect(wordnet).toEqual(['wordnet'])
  expect(shell).toEqual([...shells])
  expect(file).toEqual([])
  expect(unknown).toEqual([])
})

test('offers every option of every command', () => {
  const names = commands.map(({ name }) => name)
  const lists = offered(...names.map((name) => `kith ${name} --`))
  for (const [i, { options }] of commands.entries()) {
    const wanted = Object.keys({ ...options, ...common }).map((option) => `--${option}`)
    expect([names[i], lists[i]]).toEqual([names[i], expect.arrayContaining(wanted)])
  }
})

test.each(shells)('writes a program that %s can read, with all options', (shell) => {
  const script = succeed('completion', shell)
  for (const { options } of commands) {
    for (const option of Object.keys(options)) {
      expect(script).toMatch(new RegExp(`${shell === 'fish' ? '-l ' : '--'}${option}\\b`))
    }
  }
  const checked = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' })
  if (checked.error) return console.warn(`not read by ${shell}: ${checked.error.message}`)
  expect([checked.status, checked.stderr]).toEqual([0, ''])
})
