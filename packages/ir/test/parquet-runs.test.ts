import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetWriteFile } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { evaluate, type RankedQuery, readQrels, readRun, writeRun } from '../src/index.ts'
import { type DocumentColumns, writeRunParquet } from '../src/parquet/parquet-runs.ts'
import { streamRankings } from '../src/runs/run-stream.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)

const rankings: RankedQuery[] = Array.from({ length: 40 }, (_, q) => ({
  query: `q${q}`,
  ids: Array.from({ length: 5 + (q % 3) }, (_, i) => `d${(q + i * 7) % 30}`),
  scores: Float64Array.from({ length: 5 + (q % 3) }, (_, i) => 1 / (i + 1) - q / 3),
}))

async function duck(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

test('reads back a run from Parquet as written', async () => {
  const file = at('run.parquet')
  await writeRun(file, rankings)
  expect([...(await readRun(file))]).toEqual(rankings)
  const streamed: RankedQuery[] = []
  for await (const ranking of streamRankings(file)) streamed.push(ranking)
  expect(streamed).toEqual(rankings)
})

test('writes rows that DuckDB reads: qid, docid, rank, score', async () => {
  const file = at('for-duckdb.parquet')
  await writeRun(file, rankings)
  const described = await duck(`SELECT column_name, column_type FROM (DESCRIBE FROM '${file}')`)
  expect(described).toEqual([
    ['qid', 'VARCHAR'],
    ['docid', 'VARCHAR'],
    ['rank', 'INTEGER'],
    ['score', 'DOUBLE'],
  ])
  const rows = rankings.flatMap(({ query, ids, scores }) =>
    ids.map((id, i) => [query, id, i + 1, scores[i]!]),
  )
  expect(await duck(`FROM '${file}'`)).toEqual(rows)
})

test('the columns of a ranking are columns of the file, null if a document has no value', async () => {
  const file = at('columns.parquet')
  const [first, second] = rankings as [RankedQuery, RankedQuery]
  const relevance = [0.9, Number.NaN]
  const columns = { similarity: first.scores, relevance }
  await writeRun(file, [{ ...first, columns }, second])
  const rows = await duck(`SELECT qid, similarity, relevance FROM '${file}'`)
  expect(rows).toEqual([
    ...first.ids.map((_, i) => [first.query, first.scores[i], relevance[i] || null]),
    ...second.ids.map(() => [second.query, null, null]),
  ])
  expect([...(await readRun(file))]).toEqual([first, second])
  await writeRun(at('columns.trec'), [{ ...first, columns }])
  expect([...(await readRun(at('columns.trec')))]).toEqual([first])
})

test('Kith reads the rows that DuckDB writes, in any order and with more columns', async () => {
  const file = at('from-duckdb.parquet')
  await duck(`COPY (
    SELECT 'q' || (i % 3) AS qid, 'd' || i AS docid, CAST(i AS FLOAT) / 4 AS score,
      'text ' || i AS text, [i, i + 1]::FLOAT[] AS vector
    FROM range(300) t(i)
  ) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 100)`)
  const run = await readRun(file)
  expect(run.queries).toEqual(['q0', 'q1', 'q2'])
  expect(run.size).toBe(300)
  expect(run.get('q1')!.ids.slice(0, 2)).toEqual(['d298', 'd295'])
  expect(run.get('q1')!.scores[0]).toBe(74.5)
})

test('measures the recall@5 that DuckDB computes from rankings and qrels', async () => {
  const [run, qrels] = [at('joined.parquet'), at('qrels.tsv')]
  await writeRun(run, rankings)
  const judged = rankings.map(({ query }, q) => `${query}\t0\td${(q * 7) % 30}\t1`)
  writeFileSync(qrels, `${judged.join('\n')}\n`)
  const [[share]] = (await duck(`
    SELECT count(DISTINCT run.qid) / ${rankings.length}
    FROM '${run}' AS run
    JOIN read_csv('${qrels}', delim = '\t', header = false,
      columns = {qid: 'VARCHAR', iteration: 'VARCHAR', docid: 'VARCHAR', grade: 'INTEGER'}) AS judged
      ON run.qid = judged.qid AND run.docid = judged.docid
    WHERE judged.grade > 0 AND run.rank <= 5`)) as [[number]]
  const found = evaluate(await readQrels(qrels), await readRun(run), ['Recall@5'])
  expect(share).toBeGreaterThan(0.1)
  expect(share).toBeCloseTo(found.mean['Recall@5']!, 10)
})

test('refuses a file without the columns of a run, and names its columns', async () => {
  const file = at('other.parquet')
  parquetWriteFile({
    filename: file,
    columnData: [
      { name: 'id', data: ['a'] },
      { name: 'score', data: [1] },
    ],
  })
  await expect(readRun(file)).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('qid'),
  })
})

test('rows with long texts or vectors are written in small groups', async () => {
  const groups = async (documents: DocumentColumns) => {
    const file = at('groups.parquet')
    const ids = Array.from({ length: 100 }, (_, i) => `d${i}`)
    const scores = ids.map((_, i) => -i)
    await writeRunParquet(file, [{ query: 'q', ids, scores }], documents)
    expect((await readRun(file)).get('q')?.ids).toEqual(ids)
    const found = await duck(
      `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('${file}') ORDER BY 1`,
    )
    return found.map(([, rows]) => Number(rows))
  }
  const vector = new Float32Array(1 << 16).fill(0.5)
  expect(await groups({})).toEqual([100])
  expect(await groups({ vector: () => vector })).toEqual([64, 36])
  const text = 'word '.repeat(1 << 16)
  expect(await groups({ text: () => text, title: () => undefined })).toEqual([52, 48])
})
