/** The worker thread: evaluates settings on its share of the queries. */
import { serveThread } from '@kith/base/pool/service'
import { QueryTrials, type TrialBatch, type TrialInputs } from './evaluate/query-trials.ts'

serveThread<TrialInputs, TrialBatch, Float64Array<ArrayBuffer>>((inputs) => {
  const trials = new QueryTrials(inputs)
  return {
    run(batch, stopped) {
      const values = new Float64Array(batch.mask.length)
      for (let query = 0; query < trials.queries && !stopped(); query++) {
        trials.measure(query, batch, values)
      }
      return values
    },
    transfer: (values) => [values.buffer],
  }
})
