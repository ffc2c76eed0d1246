/** `npm run bench -- files --against=../older`: the command line from file to file. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeRerankFiles } from './pipeline.mjs'
import { timed } from './processes.mjs'
import { writeLines } from './write-lines.mjs'

/** Two workers, by the clock: a run over a fifth of a large corpus. */
export async function files(folder) {
  const large = { documents: 300_000, queries: 10_000, dimensions: 768 }
  const { given, texts } = await writeRerankFiles(folder, large)
  const qrels = join(folder, 'qrels.trec')
  await writeLines(qrels, large.queries, (q) => `${q} 0 ${q % large.documents} 1\n`)
  const { run, docs, queries } = given
  const inputs = ['--run', run, '--docs', docs, '--queries', queries, '--missing', 'skip']
  const words = ['--corpus', texts.corpus, '--query-text', texts.queryText]
  const jobs = {
    'rerank, vectors': ['rerank', ...inputs, '--preset', 'msmarco-tas-b'],
    'rerank with texts': ['rerank', ...inputs, ...words],
    labels: ['labels', ...inputs, '--qrels', qrels],
  }
  const out = (name) => join(folder, name === 'labels' ? 'out.jsonl' : 'out.trec')
  const figures = (cwd) =>
    Object.fromEntries(
      Object.entries(jobs).map(([name, args]) => {
        rmSync(out(name), { force: true })
        const kith = [process.execPath, join(cwd, 'node_modules/.bin/kith')]
        const more = ['--workers', '2', '--out', out(name)]
        return [name, timed([...kith, ...args, ...more], cwd).seconds]
      }),
    )
  return { unit: 's by the clock, 2 workers', figures }
}
