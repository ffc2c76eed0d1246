import { basename } from 'node:path'
import { compare, evaluate, readQrels, readRun } from '@kith/ir'
import { formatP, holm } from '@kith/ir/internal'

const measures = ['nDCG@10', 'MRR@10', 'Recall@10']

const namesOf = (kith) => ({
  run: 'vector search',
  reranked: kith,
  trained: 'trained query encoder',
  'trained-reranked': `trained query encoder, then ${kith}`,
})

/**
 * Before and after: every run's figures, and how many queries it made better and worse. p comes from
 * `kith eval`: the randomization test, Holm-corrected for the number of runs.
 *
 * @param kith The name of the reranked runs: `Kith`, or `Kith, tuned`.
 */
export async function finalTable(files, qrelsFile, kith) {
  const names = namesOf(kith)
  const qrels = await readQrels(qrelsFile)
  const found = []
  for (const file of files) found.push(evaluate(qrels, await readRun(file), measures))
  const [plain, ...others] = found
  const compared = others.map((evaluation) => compare(plain, evaluation, 'nDCG@10'))
  const corrected = holm(compared.map(({ randomization }) => randomization))
  const rows = files.map((file, i) => {
    const figures = measures.map((measure) => found[i].mean[measure].toFixed(4))
    const row = [names[basename(file, '.trec')], ...figures]
    if (i === 0) return [...row, '', '']
    const { wins, losses } = compared[i - 1]
    return [...row, `${wins} / ${losses}`, formatP(corrected[i - 1])]
  })
  return [['', ...measures, 'better / worse', 'p (nDCG@10)'], ...rows]
}
