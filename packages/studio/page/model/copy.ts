import type { StudioFiles, StudioInfo } from '../../src/studio-wire.ts'
import { defaultSettings, type PageSettings, usesWords } from './page-settings.ts'
import { labelOptionsOf, optionsOf } from './setting-names.ts'
import type { StudioState } from './state.ts'

/** The command that does for the whole run what the current view shows for a query. */
export function commandLine({ view, settings, labels }: StudioState, info: StudioInfo): string {
  const { files, level } = info
  const words = usesWords(settings, info.texts)
  const texts = words ? textFiles(files) : []
  const method = optionsOf(settings).filter(([name]) => words || name !== 'texts-weights')
  const judged = files.qrels === undefined ? [] : [['qrels', files.qrels] as const]
  const graded = level === 1 ? [] : [['level', String(level)] as const]
  const inputs = [
    ['run', files.run],
    ['queries', files.queries],
    ['docs', files.docs],
  ] as const
  switch (view) {
    case 'labels':
      return line(
        'labels',
        ...[...inputs, ...judged, ...graded, ...texts, ...(words ? [['texts'] as const] : [])],
        ...[...method, ...labelOptionsOf(labels), ['out', 'labels.jsonl'] as const],
      )
    case 'audit':
      return line(
        'audit',
        ...[...inputs, ...judged, ...graded, ...(info.texts ? textFiles(files) : [])],
        ['out', 'audit.tsv'],
      )
    default:
      return line('rerank', ...inputs, ...texts, ...judged, ...method, ['out', 'better.trec'])
  }
}

/** The call that does the same in a program. */
export function code(settings: PageSettings, info: StudioInfo): string {
  const words = usesWords(settings, info.texts)
  const changed = Object.entries(settings).flatMap(([name, value]) =>
    name.startsWith('text') || value === defaultSettings[name as keyof PageSettings]
      ? []
      : [`  ${name}: ${typeof value === 'string' ? `'${value}'` : value},`],
  )
  const { textScore, textGraph } = settings
  const usual = textScore === defaultSettings.textScore && textGraph === defaultSettings.textGraph
  if (words && !usual) {
    const rest = [rounded(1 - textScore), rounded(1 - textGraph)]
    changed.push(
      '  views: {',
      `    vectors: { score: ${rest[0]}, graph: ${rest[1]} },`,
      `    texts: { score: ${textScore}, graph: ${textGraph} },`,
      '  },',
    )
  }
  const inputs = words ? '{ vector, text }, { vectors, texts }' : 'vector, vectors'
  const call =
    changed.length === 0 ? `rerank(${inputs})` : `rerank(${inputs}, {\n${changed.join('\n')}\n})`
  return `import { rerank } from '@kith/core'\n\nconst { order, scores } = ${call}\n`
}

type Option = readonly [name: string, value?: string]

function textFiles({ corpus, queryText }: StudioFiles): Option[] {
  return [
    ['corpus', corpus!],
    ['query-text', queryText!],
  ]
}

function line(command: string, ...options: readonly Option[]): string {
  const parts = options.map(([name, value]) =>
    value === undefined ? `--${name}` : `--${name} ${quoted(value)}`,
  )
  return [`kith ${command}`, ...parts].join(' ')
}

/** A word as a shell takes it. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}

/** 1 − 0.3 is 0.7, whatever its last bit says. */
function rounded(value: number): number {
  return Number(value.toFixed(6))
}
