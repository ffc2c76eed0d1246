/**
 * Makes the golden cases in packages/core/test/golden again, with the plain TypeScript kernel of
 * the built @kith/core: `npm run build -w @kith/core && node scripts/golden/main.mjs`.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { neighbors, rerank, similarity, smoothLabels } from '@kith/core'
import { labelCases, rankingCases } from './cases.mjs'
import { contexts } from './contexts.mjs'

const folder = fileURLToPath(new URL('../../packages/core/test/golden/', import.meta.url))

/** Scores that differ by less, but differ, could be ordered otherwise by another kernel. */
const CLOSEST = 1e-5

/** Eight digits: more than float32 has. */
function digits(numbers) {
  return Array.from(numbers, (value) => Number(value.toPrecision(8)))
}

/** The query, row 0 of a context's file, and its candidates. */
function split({ vectors, texts, views = {} }) {
  const second = Object.entries(views)
  return {
    query: {
      vector: vectors[0],
      text: texts?.[0],
      views: Object.fromEntries(second.map(([name, rows]) => [name, rows[0]])),
    },
    candidates: {
      vectors: vectors.slice(1),
      texts: texts?.slice(1),
      views: Object.fromEntries(second.map(([name, rows]) => [name, rows.slice(1)])),
    },
  }
}

const memberOf = (row) => (row === 0 ? 'query' : row - 1)
const rowOf = (member) => (member === 'query' ? 0 : member + 1)

function checkGaps(id, scores) {
  for (let i = 1; i < scores.length; i++) {
    const gap = scores[i - 1] - scores[i]
    if (gap !== 0 && gap < CLOSEST * Math.max(1, Math.abs(scores[i]))) {
      throw new Error(`${id}: places ${i - 1} and ${i} differ by only ${gap}; choose other numbers`)
    }
  }
}

function expectedRanking({ id, context, settings }) {
  const { vectors } = contexts[context]
  const all = { ...settings, kernel: 'typescript' }
  const probes = vectors.length > 1 ? [0, vectors.length - 1] : [0]
  const { query, candidates } = split(contexts[context])
  const found = neighbors(query, candidates, all)
  const sets = [found.query, ...found.candidates]
  const similar = similarity(query, candidates, probes.map(memberOf), all)
  const rowsOf = (kind) =>
    similar.map(({ [kind]: { toQuery, toCandidates } }) => digits([toQuery, ...toCandidates]))
  const { order, scores } = rerank(query, candidates, all)
  checkGaps(id, scores.slice(0, settings.contextSize ?? scores.length))
  return {
    rank: sets.map(({ nearest }) => nearest.map(rowOf).join(' ')),
    reciprocal: sets.map(({ reciprocal }) => reciprocal.map(rowOf).join(' ')),
    probes,
    geometric: rowsOf('geometric'),
    jaccard: rowsOf('jaccard'),
    mixed: rowsOf('mixed'),
    order: [...order],
    // Within the context a score is the mixed similarity to the query.
    ...(settings.contextSize < candidates.vectors.length && { scores: digits(scores) }),
  }
}

function expectedLabels({ id, context, groundTruth, settings }) {
  const { query, candidates } = split(contexts[context])
  const all = { ...settings, kernel: 'typescript' }
  const judged = { candidates: groundTruth.rows.map((row) => row - 1), grades: groundTruth.grades }
  const { evidence, kept, target } = smoothLabels(query, candidates, judged, all)
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
