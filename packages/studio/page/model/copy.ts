import { idleReason, type Setting, settingTable } from '@kith/core/internal'
import type { StudioFiles, StudioInfo } from '../../src/studio-wire.ts'
import {
  defaultSettings,
  mixOf,
  type PageSettings,
  tokenizerOf,
  type Use,
} from './page-settings.ts'
import {
  labelOptionsOf,
  NO_STATISTICS,
  type Option,
  optionsOf,
  type StudioState,
  textWeightNames,
} from './state.ts'

/** The command that does for the whole run what the current view shows for a query. */
export function commandLine(
  { view, settings, labels }: StudioState,
  info: StudioInfo,
  files: StudioFiles,
): string {
  const { level } = info
  const use = { texts: info.texts, labels: view === 'labels' }
  const words = tokenizerOf(settings, use) !== undefined
  const texts = words ? textFiles(files) : []
  const method = methodOptions(settings, use)
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
        ...[...method, ...labelOptionsOf(labels).map(set), ['out', 'labels.jsonl'] as const],
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

/** The command that makes what estimates of relevance need. */
export function backgroundCommand({ docs }: StudioFiles): string {
  return line('background', ['docs', docs])
}

/** A setting as an option of a command. */
function set([name, value]: Option): Option {
  return ['set', `${name}=${value}`]
}

/** The options for the settings that count. */
function methodOptions(settings: PageSettings, use: Use): Option[] {
  const mix = mixOf(settings, use)
  // The second generation has no words in the geometric term: what the page remembers of them waits for the first.
  const own = mix === 'words' ? { ...settings, textScore: defaultSettings.textScore } : settings
  const known: Readonly<Record<string, Setting>> = settingTable
  return optionsOf(own).flatMap((option): Option[] => {
    const [name, value] = option
    if (name === NO_STATISTICS) return mix === 'words' ? [['term-statistics', 'none']] : []
    if (name === textWeightNames.textScore || name === textWeightNames.textGraph) {
      if (tokenizerOf(settings, use) === undefined) return []
      // The BM25 score replaces the texts' view in the score.
      return mix === 'words' && name === textWeightNames.textScore ? [] : [set(option)]
    }
    const all = { ...settings, mix, method: 'neighbors' }
    return value === undefined || idleReason(known[name]!, all, use) !== undefined
      ? []
      : [set(option)]
  })
}

/** The call that does the same in a program. */
export function code(settings: PageSettings, info: StudioInfo): string {
  const mix = mixOf(settings, info)
  const tokenizer = tokenizerOf(settings, info)
  const counted = mix === 'words' && settings.statistics === 'corpus'
  const all = { ...settings, mix, method: 'neighbors' }
  const known: Readonly<Record<string, Setting>> = settingTable
  const changed = Object.entries(settings).flatMap(([name, value]) =>
    ['textScore', 'textGraph', 'statistics'].includes(name) ||
    value === defaultSettings[name as keyof PageSettings] ||
    idleReason(known[name]!, all, info) !== undefined
      ? []
      : [`  ${name}: ${typeof value === 'string' ? `'${value}'` : value},`],
  )
  if (counted) changed.unshift('  statistics,')
  const textScore = mix === 'words' ? 0 : settings.textScore
  const { textGraph } = settings
  const usual = mix === 'words' ? 0 : defaultSettings.textScore
  if (tokenizer && (textScore !== usual || textGraph !== defaultSettings.textGraph)) {
    const rest = [rounded(1 - textScore), rounded(1 - textGraph)]
    changed.push(
      '  views: {',
      `    vectors: { score: ${rest[0]}, graph: ${rest[1]} },`,
      `    texts: { score: ${textScore}, graph: ${textGraph} },`,
      '  },',
    )
  }
  const inputs = tokenizer ? '{ vector, text }, { vectors, texts }' : 'vector, vectors'
  const call =
    changed.length === 0 ? `rerank(${inputs})` : `rerank(${inputs}, {\n${changed.join('\n')}\n})`
  const ranked = `const { order, scores } = ${call}\n`
  if (!counted) return `import { rerank } from '@kith/core'\n\n${ranked}`
  const how = tokenizer === defaultSettings.tokenizer ? '' : `, { tokenizer: '${tokenizer}' }`
  return (
    `import { rerank, termStatistics } from '@kith/core'\n\n` +
    `// Once, from the texts of all documents.\n` +
    `const statistics = termStatistics(collection${how})\n${ranked}`
  )
}

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

/** Removes rounding errors: 1 − 0.3 is 0.7. */
function rounded(value: number): number {
  return Number(value.toFixed(6))
}
