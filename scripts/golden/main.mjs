/**
 * Makes the golden cases in packages/core/test/golden again, with the plain TypeScript kernel of
 * the built @kith/core: `npm run build -w @kith/core && node scripts/golden/main.mjs`.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { neighbours, rerank, similarity, smoothLabels } from '@kith/core'
import { labelCases, rankingCases } from './cases.mjs'
import { contexts } from './contexts.mjs'

const folder = fileURLToPath(new URL('../../packages/core/test/golden/', import.meta.url))

/** Scores that differ by less, but differ, could be ordered otherwise by another kernel. */
const CLOSEST = 1e-5

/** Eight digits: more than float32 has. */
function digits(numbers) {
  return Array.from(numbers, (value) => Number(value.toPrecision(8)))
}

function checkGaps(id, scores) {
  for (let i = 1; i < scores.length; i++) {
    const gap = scores[i - 1] - scores[i]
    if (gap !== 0 && gap < CLOSEST * Math.max(1, Math.abs(scores[i]))) {
      throw new Error(`${id}: places ${i - 1} and ${i} differ by ${gap}; take other numbers`)
    }
  }
}

function expectedRanking({ id, context, settings }) {
  const { vectors, texts, views = {} } = contexts[context]
  const all = { ...settings, kernel: 'typescript' }
  const whole = { vectors, texts, views }
  const probes = vectors.length > 1 ? [0, vectors.length - 1] : [0]
  const { rank, reciprocal } = neighbours(whole, all)
  const { geometric, jaccard, mixed } = similarity(whole, probes, all)
  const second = Object.entries(views)
  const query = {
    vector: vectors[0],
    text: texts?.[0],
    views: Object.fromEntries(second.map(([name, rows]) => [name, rows[0]])),
  }
  const candidates = {
    vectors: vectors.slice(1),
    texts: texts?.slice(1),
    views: Object.fromEntries(second.map(([name, rows]) => [name, rows.slice(1)])),
  }
  const { order, scores } = rerank(query, candidates, all)
  checkGaps(id, scores.slice(0, settings.contextSize ?? scores.length))
  return {
    rank: rank.map((row) => row.join(' ')),
    reciprocal: reciprocal.map((row) => row.join(' ')),
    probes,
    geometric: geometric.map(digits),
    jaccard: jaccard.map(digits),
    mixed: mixed.map(digits),
    order: [...order],
    // Within the context a score is the mixed similarity to the query.
    ...(settings.contextSize < candidates.vectors.length && { scores: digits(scores) }),
  }
}

function expectedLabels({ id, context, groundTruth, settings }) {
  const { vectors, texts, views } = contexts[context]
  const all = { ...settings, kernel: 'typescript' }
  const { evidence, kept, target } = smoothLabels({ vectors, texts, views }, groundTruth, all)
  checkGaps(id, target)
  return { evidence: digits(evidence), kept: [...kept], target: digits(target) }
}

function write(name, value) {
  writeFileSync(`${folder}${name}.json`, JSON.stringify(value))
}

write('contexts', contexts)
write(
  'rankings',
  rankingCases.map((one) => ({ ...one, expected: expectedRanking(one) })),
)
write(
  'labels',
  labelCases.map((one) => ({ ...one, expected: expectedLabels(one) })),
)
execFileSync('npx', ['biome', 'format', '--write', folder], { stdio: 'inherit' })
