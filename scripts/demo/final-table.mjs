import { basename } from 'node:path'
import { compare, evaluate, readQrels, readRun } from '@kith/ir'
import { formatP } from '@kith/ir/internal'

const measures = ['nDCG@10', 'MRR@10', 'Recall@10']

const names = {
  run: 'vector search',
  reranked: 'Kith',
  trained: 'trained query encoder',
  'trained-reranked': 'trained query encoder, then Kith',
}

/** Before and after: every run's figures, and how many queries it made better and worse. */
export async function finalTable(files, qrelsFile) {
  const qrels = await readQrels(qrelsFile)
  const rows = [['', ...measures, 'better / worse', 'p (nDCG@10)']]
  let plain
  for (const file of files) {
    const evaluation = evaluate(qrels, await readRun(file), measures)
    plain ??= evaluation
    const figures = measures.map((measure) => evaluation.mean[measure].toFixed(4))
    const row = [names[basename(file, '.trec')], ...figures]
    if (evaluation === plain) rows.push([...row, '', ''])
    else {
      const { wins, losses, tTest } = compare(plain, evaluation, 'nDCG@10')
      rows.push([...row, `${wins} / ${losses}`, formatP(tTest)])
    }
  }
  return rows
}
