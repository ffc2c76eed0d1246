import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from './files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What each program must print; a new example needs an entry. */
const expected: Record<string, RegExp> = {
  'rerank.mjs': /^1\. Bees find flowers by color and scent/,
  'explain.mjs':
    /candidate 0: rank 1 → 6.* shared: (query|\d)(, (query|\d))*\ncandidate 1: rank 2 → 1/,
  'hot-loop.mjs': /^apples: 1 2 0 3 4\nmarket: 4 3 2 1 0\n$/,
  'local-search.mjs':
    /^A beekeeper opens .*was 1\)\nA mite .*was 3\)\nSmoke calms .*was 5\)\nAlmond growers .*was 9\)\n$/,
  'rag-cutoff.mjs':
    /on topic: 1\.00\)\nContext of a fixed size: 10 passages\nContext with the cutoff: 3 passages\n {2}0\.\d\d A beekeeper opens[\s\S]*tax return\? \(on topic: 0\.00\)\n.*\nContext with the cutoff: 0 passages\n$/,
  'langchain-rag.mjs':
    /^Answer from.*\n\n\[1\] A beekeeper opens .*\n\[2\] A mite .*\n\[3\] Smoke calms .*\n\[4\] Almond growers .*\n\nQuestion: What do beekeepers do in the hive\?\n$/,
  'ai-sdk.mjs':
    /A beekeeper .*\n.*A mite .*\n.*Smoke .*\n.*Almond growers .*\nsame order with your own embeddings/,
  'labels.mjs':
    /labeling: 3 of 3\n3 queries, 0\.52 on judged documents\nq0 d3 0\.28\nq0 d0 0\.24\n/,
  'labels-merge.mjs': /^shard 1: 1 queries\nshard 2: 2 queries\nmerged: 3 queries\n$/,
  'distil.mjs': /^3 queries have labels\nq0: 10 documents, the first with 0\.\d\d\n$/,
  'load-store.mjs': /^the store has 24 documents\nReranking did not change nDCG@10\.\n$/,
  'sweep.mjs':
    /^not reranked: 0\.\d{3}\n5 candidates: 0\.\d{3}\n[\s\S]*context-size\.svg, [\s\S]*index\.html\n$/,
  'train.mjs':
    /^6 held-out queries: nDCG@10 0\.3\d before, (0\.9\d|1\.00) after\nuse the adapter\n48 queries adapted\n$/,
  'tune.mjs':
    /^default: with 50 judged queries or fewer.*\n32 queries, 0 kinds of missing data\n48 queries reranked\n$/,
  'tune-training.mjs':
    /^trial 1: nDCG@10 0\.4\d+ [\s\S]*, 6 of 6\nnDCG@10 0\.4\d with the given settings, 0\.[67]\d with the best\nlearning rate 0\.0\d+\n$/,
  'audit.mjs':
    /auditing: 3 of 3\n6 documents of 3 queries; .*\nquery\tdocument\tevidence\trelevantNeighbors\nq0\td18\t/,
  'audit-accept.mjs': /^1 accepted, 1 rejected\n.*'d6' => 1, 'd7' => 0/,
  'audit-evaluate.mjs': /^3 queries\njoint: 0\.10 of the first ten/,
  'rerank-run.mjs':
    /reranking: 3 of 3\n3 queries, 0 kinds of missing data\nReranking did not change nDCG@10\.\n$/,
  'search-run.mjs': /^3 queries, 24 documents\nq0 Q0 d18 1 1\.45\d+ kith\n$/,
  'fuse-runs.mjs': /^3 queries\nrun\.trec: 0\.6146\nwords\.trec: 0\.6131\nfused\.trec: 0\.7078\n$/,
  'search-notes.mjs':
    /^bees\.md:5: Honeybees find .* \(find, flower, bee\)\ngarden\.md:3: Moths .* \(find, flower\)\nbeekeeping\.md:5: .* \(bee\)\n$/,
  'encode.mjs': /^24 texts of 384 numbers, 0 truncated\n$/,
  'evaluate.mjs': /^run\.trec: 0\.6146\nbetter\.trec: 0\.6146\np = 1\.00\n$/,
  'sentence-transformers.mjs':
    /^What do beekeepers .*\n +0\.4\d +A beekeeper opens .*\n +0\.2\d +In winter/,
}

const folder = temporaryFolder()

/** Run by examples-live.test.ts, which starts what it needs. */
const live = ['batches.mjs', 'pgvector.mjs']
const programs = readdirSync(join(root, 'examples'))
  .filter((name) => name.endsWith('.mjs'))
  .filter((name) => !live.includes(name))

describe('examples', () => {
  test.each(programs)('%s', (name) => {
    // The one that writes files takes a folder for them.
    const output = execFileSync(process.execPath, [join(root, 'examples', name), folder], {
      encoding: 'utf8',
      env: { ...process.env, KITH_CACHE: join(folder, 'cache') },
    })
    expect(output).toMatch(expected[name] ?? /a new example has no expected output yet/)
  })
})

test('the demo prints a table and writes a report', () => {
  const output = execFileSync(process.execPath, [join(root, 'scripts/demo/main.mjs'), '--quick'], {
    encoding: 'utf8',
  })
  const figures = (name: string) =>
    Number(new RegExp(`^${name} +(0\\.\\d+) +0\\.\\d+`, 'm').exec(output)![1])
  // The promise of the README, on real text.
  expect(figures('Kith')).toBeGreaterThan(figures('vector search'))
  expect(output).toMatch(/^ +Kith (improves|does not measurably change) nDCG@10 /m)
  expect(output).toMatch(/mixed labels move +\d+\.\d %/)
  const report = /Report: (.+)\n$/.exec(output)![1]!
  expect(readFileSync(report, 'utf8')).toContain('Hidden relevant documents that were found')
})
