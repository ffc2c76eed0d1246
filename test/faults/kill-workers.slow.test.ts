import { describe, expect, test } from 'vitest'
import { emptyDatabase, postgres } from '../postgres.ts'
import { killWorkers } from './kill-workers.mjs'

describe.runIf(postgres)('a worker that is killed between any two statements', () => {
  const database = emptyDatabase()

  test('leaves its job to another worker within a lease', async () => {
    const { killed, problems } = await killWorkers(database.url)
    expect(problems).toEqual([])
    // Taking, reading and finishing one job are nine statements.
    expect(killed).toBeGreaterThan(18)
  })
})
