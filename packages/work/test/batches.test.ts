import { KithError } from '@kith/core'
import { connectPostgres, inTransaction } from '@kith/stores/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, postgres, run } from '../../../test/postgres.ts'
import { type Batch, Batches, type BatchItem, type Handler, work } from '../src/index.ts'

const itemsOf = (count: number): BatchItem[] =>
  Array.from({ length: count }, (_, i) => ({ query: `q ${i} ’é`, body: Buffer.from(String(i)) }))

const batch = (name: string): Batch => ({ name, kind: 'double', settings: { by: 2 }, origin: {} })

/** Doubles numbers; what is no number cannot be done. */
const double: Handler = async ({ settings }, items) =>
  items.map(({ query, body }) => {
    const value = Number(Buffer.from(body).toString()) * (settings['by'] as number)
    if (Number.isNaN(value)) throw new Error(`${query} is no number`)
    return { query, body: Buffer.from(String(value)) }
  })

describe.runIf(postgres)('batches', () => {
  const database = emptyDatabase()
  let batches: Batches
  beforeAll(async () => {
    if (postgres) batches = await Batches.open(database.url, { create: true })
  })
  afterAll(() => batches?.close())

  const workAll = async (handler = double): Promise<string[]> => {
    const failures: string[] = []
    await work(batches, handler, {
      lanes: 3,
      lease: 5,
      untilEmpty: true,
      signal: new AbortController().signal,
      onEvent: (event) => {
        if (event.kind === 'failed') failures.push(event.message)
      },
    })
    return failures
  }
  const resultsOf = async (name: string): Promise<string[]> => {
    const results: string[] = []
    for await (const { item, result } of batches.results(name)) {
      expect(result.query).toBe(item.query)
      results.push(Buffer.from(result.body).toString())
    }
    return results
  }

  it('return results in the order of their queries', async () => {
    const submitted = await batches.submit(batch('long'), itemsOf(2345), 100)
    expect(submitted).toEqual({ queries: 2345, fresh: true })
    await expect(resultsOf('long')).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('long'),
    })
    const [waiting] = await batches.progress()
    expect(waiting).toMatchObject({ queries: 2345, done: 0, rate: 0, secondsLeft: undefined })
    expect(await workAll()).toEqual([])
    expect(await resultsOf('long')).toEqual(itemsOf(2345).map((_, i) => String(2 * i)))
    const [done] = await batches.progress()
    expect(done).toMatchObject({ done: 2345, active: 0, failures: [], secondsLeft: 0 })
    expect(done!.rate).toBeGreaterThan(0)
  })

  it('can be run by name, without waiting for others', async () => {
    await batches.submit(batch('mine'), itemsOf(6), 2)
    await batches.submit(batch('theirs'), itemsOf(6), 2)
    const handled = new Set<string>()
    const options = { lanes: 2, lease: 5, untilEmpty: true, onEvent() {} }
    const { signal } = new AbortController()
    const noting: Handler = (which, items) => {
      handled.add(which.name)
      return double(which, items)
    }
    expect(await work(batches, noting, { ...options, signal, batch: 'mine' })).toEqual({ left: 0 })
    expect([...handled]).toEqual(['mine'])
    const absent = work(batches, double, { ...options, signal, batch: 'nobody’s' })
    await expect(absent).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('nobody’s'),
    })
    expect(await workAll()).toEqual([])
  })

  it('report how many jobs are left if a worker is stopped early', async () => {
    await batches.submit(batch('stopped'), itemsOf(6), 2)
    const stop = new AbortController()
    const stopping: Handler = (which, items) => {
      stop.abort()
      return double(which, items)
    }
    const options = { lanes: 1, lease: 5, signal: stop.signal, onEvent() {} }
    expect(await work(batches, stopping, { ...options, untilEmpty: true })).toEqual({ left: 2 })
    expect(await work(batches, double, { ...options, untilEmpty: false })).toEqual({ left: 0 })
    expect(await workAll()).toEqual([])
  })

  it('may be empty', async () => {
    await batches.submit(batch('empty'), [], 100)
    expect(await workAll()).toEqual([])
    expect(await resultsOf('empty')).toEqual([])
  })

  it('are the same only if all their parts are the same', async () => {
    await batches.submit(batch('same'), itemsOf(10), 3)
    // How they are cut into jobs is no part of what they are.
    const again = await batches.submit({ ...batch('same'), origin: { x: 1 } }, itemsOf(10), 4)
    expect(again).toEqual({ queries: 10, fresh: false })
    const other = 'batch same already exists with other settings or queries'
    await expect(batches.submit(batch('same'), itemsOf(11), 3)).rejects.toThrow(other)
    const settings = { by: 3 }
    await expect(batches.submit({ ...batch('same'), settings }, itemsOf(10), 3)).rejects.toThrow(
      other,
    )
    expect(await workAll()).toEqual([])
    expect(await resultsOf('same')).toHaveLength(10)
  })

  it('are submitted whole or not at all', async () => {
    const broken = async function* () {
      yield* itemsOf(5000)
      throw new Error('the file ends in the middle')
    }
    await expect(batches.submit(batch('broken'), broken(), 100)).rejects.toThrow('in the middle')
    await expect(batches.find('broken')).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('broken'),
    })
    expect(await batches.submit(batch('broken'), itemsOf(3), 100)).toMatchObject({ fresh: true })
    await workAll()
  })

  it('finish except for queries that fail', async () => {
    const items = itemsOf(30)
    items[17] = { query: 'bad', body: Buffer.from('?') }
    await batches.submit(batch('poison'), items, 10)
    expect(await workAll()).toEqual(Array(3).fill('bad is no number'))
    const poison = (await batches.progress()).find(({ name }) => name === 'poison')
    expect(poison).toMatchObject({
      done: 29,
      failures: [{ from: 10, to: 20, message: 'bad is no number' }],
    })
    const mended: Handler = async (which, some) =>
      double(
        which,
        some.map((item) => (item.query === 'bad' ? { ...item, body: Buffer.from('4') } : item)),
      )
    expect(await batches.retry('poison')).toBe(1)
    expect(await workAll(mended)).toEqual([])
    expect((await resultsOf('poison'))[17]).toBe('8')
  })

  it('refuse queries that the database cannot store', async () => {
    for (const [query, flaw] of [
      ['a\0b', 'the query "a\\u0000b" contains the character U+0000'],
      ['a\ud800', 'the query "a\\ud800" contains half of a surrogate pair'],
    ] as const) {
      const items = [...itemsOf(3), { query, body: Buffer.from('1') }]
      await expect(batches.submit(batch('nul'), items, 2)).rejects.toThrow(flaw)
    }
    await expect(batches.find('nul')).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('nul'),
    })
  })

  it('fail with the database’s error about their data, and other batches continue', async () => {
    await batches.submit(batch('protocol'), itemsOf(4), 2)
    const connections = await connectPostgres(database.url)
    const breaking: Handler = async (which, items) => {
      if (items.some(({ query }) => query.startsWith('q 1 '))) {
        await inTransaction(connections, (client) => client.query("SELECT 'a\0b'"))
      }
      return double(which, items)
    }
    const failures = await workAll(breaking)
    await connections.pool.end()
    expect(failures).toHaveLength(3)
    expect(failures[0]).toContain('invalid message format')
    const broken = (await batches.progress()).find(({ name }) => name === 'protocol')
    expect(broken).toMatchObject({ done: 3, failures: [{ from: 0, to: 2 }] })
    await batches.remove('protocol')
  })

  it('escape an error message that the database cannot store unchanged', async () => {
    await batches.submit(batch('reason'), itemsOf(1), 1)
    await workAll(async () => {
      throw new Error('no document a\0b, no document \ud800')
    })
    const [failure] = (await batches.progress()).find(({ name }) => name === 'reason')!.failures
    expect(failure!.message).toBe('no document a\\u0000b, no document \ufffd')
    await batches.remove('reason')
  })

  it('refuse a finished job without a result for every query', async () => {
    await batches.submit(batch('few'), itemsOf(4), 2)
    const failures = await workAll(async (which, items) => (await double(which, items)).slice(1))
    expect(failures).toHaveLength(6)
    expect(failures[0]).toBe('expected 1 results, one per query, got 0')
    await batches.remove('few')
  })

  it('report rows that were changed in the database', async () => {
    const job = (data: string) => (id: number) =>
      `UPDATE kith_jobs.job SET data = ${data} WHERE id::text LIKE '00000001-%${id.toString(16).padStart(12, '0')}'`
    const changes: [sql: (id: number) => string, reason: string, done: number][] = [
      [
        job("'null'"),
        'this job was changed in the database: expected { batch, from, to }, got null',
        4,
      ],
      [job("'3'"), 'expected { batch, from, to }, got 3', 4],
      [
        job(`'{"batch": "abc", "from": 2, "to": 4}'`),
        'expected { batch, from, to }, got {"to":4,"from":2,',
        4,
      ],
      [job(`data || '{"from": 2.5}'`), '"from":2.5', 4],
      [job(`data || '{"batch": 1e300}'`), 'expected { batch, from, to }', 4],
      [job(`'{"batch": 1, "from": 2, "to": 4}'`), 'expected { batch, from, to }', 4],
      [
        job(`data || '{"to": 2000000000}'`),
        'expected 1999999998 queries (3 to 2000000000), got 4',
        4,
      ],
      [
        (id) => `DELETE FROM kith.items WHERE position = 2 AND batch = ${id}`,
        'expected 2 queries (3 to 4), got 1',
        4,
      ],
      [
        (id) => `UPDATE kith.batches SET settings = '[1]' WHERE id = ${id}`,
        'settings must be an object, got [1]',
        0,
      ],
    ]
    for (const [i, [sql]] of changes.entries()) {
      await batches.submit(batch(`changed-${i}`), itemsOf(6), 2)
      const { id } = await batches.row(`changed-${i}`)
      await run(database.url, sql(id))
    }
    await workAll()
    const progress = await batches.progress()
    for (const [i, [, reason, done]] of changes.entries()) {
      const found = progress.find(({ name }) => name === `changed-${i}`)!
      expect(found.done).toBe(done)
      expect(found.failures).toHaveLength(done === 0 ? 3 : 1)
      expect(found.failures[0]!.message).toContain(reason)
    }
    await expect(batches.find(`changed-${changes.length - 1}`)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('[1]'),
    })
    const before = await counts()
    for (const i of changes.keys()) await batches.remove(`changed-${i}`)
    expect((await counts())[2]).toBe(before[2]! - 3 * changes.length)
  })

  it('are exported with exactly their queries, or not at all', async () => {
    const name = 'altered'
    await batches.submit(batch(name), itemsOf(2345), 500)
    expect(await workAll()).toEqual([])
    const { id } = await batches.row(name)
    const whole = await resultsOf(name)
    const keep = `CREATE TABLE kept AS SELECT * FROM kith.items WHERE batch = ${id}`
    await run(database.url, keep)
    const remove = (where: string) => `DELETE FROM kith.items WHERE batch = ${id} AND (${where})`
    const queries = (value: number) => `UPDATE kith.batches SET queries = ${value} WHERE id = ${id}`
    const move = (to: number) =>
      `UPDATE kith.items SET position = ${to} WHERE batch = ${id} AND position = 7`
    const changes: [sql: string, problem: string][] = [
      [remove('position = 0'), ': 1'],
      [remove('position = 1234'), ': 1235'],
      [remove('position = 2344'), ': 2345'],
      [remove('position BETWEEN 990 AND 1010'), ': 991 to 1011'],
      [remove('position >= 1000'), ': 1001 to 2345'],
      [remove('true'), ': 1 to 2345'],
      [remove('position % 100 = 1'), ': 2, 102, 202, 302, 402 and others'],
      [move(5000), ': 8'],
      [move(-1), ': 8'],
      [queries(2344), 'got 2345'],
      [queries(0), 'got 2345'],
      [queries(-1), 'got 2345'],
      [queries(2346), ': 2346'],
      [queries(2 ** 31 - 1), ': 2346 to 2147483647'],
    ]
    for (const [sql, problem] of changes) {
      await run(database.url, sql)
      const error = await resultsOf(name).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error, sql).toBeInstanceOf(KithError)
      const { message } = error as KithError
      expect(message).toContain(`batch ${name} was changed in the database: `)
      expect(message).toContain(`${problem}; remove the batch`)
      await run(
        database.url,
        `${remove('true')}; INSERT INTO kith.items SELECT * FROM kept; ${queries(2345)}`,
      )
    }
    expect(await resultsOf(name)).toEqual(whole)
    // Also those that go while they are read.
    const reading = batches.results(name)
    await reading.next()
    await run(database.url, remove('position = 2000'))
    const rest = async () => {
      for await (const _ of reading) {
      }
    }
    await expect(rest()).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('2001'),
    })
    await run(database.url, 'DROP TABLE kept')
    await batches.remove(name)
  })

  it('leave nothing behind when they are removed', async () => {
    await batches.submit(batch('gone'), itemsOf(50), 10)
    const before = await counts()
    await batches.remove('gone')
    const after = await counts()
    expect(before).toEqual([after[0]! + 1, after[1]! + 50, after[2]! + 5])
  })

  const counts = async (): Promise<number[]> => {
    const [row] = await run(
      database.url,
      `SELECT (SELECT count(*)::integer FROM kith.batches) AS a,
         (SELECT count(*)::integer FROM kith.items) AS b,
         (SELECT count(*)::integer FROM kith_jobs.job) AS c`,
    )
    return Object.values(row!) as number[]
  }
})

describe.runIf(postgres)('a database that calls batches studies', () => {
  const database = emptyDatabase()

  it('continues the jobs of the older version', async () => {
    const before = await Batches.open(database.url, { create: true })
    await before.submit(batch('old'), itemsOf(5), 2)
    await before[Symbol.asyncDispose]()
    await before.close()
    const closed = { code: 'CLOSED', message: expect.stringContaining('used after it was closed') }
    await expect(before.progress()).rejects.toMatchObject(closed)
    await expect(before.find('old')).rejects.toMatchObject(closed)
    await expect(before.submit(batch('new'), itemsOf(1), 1)).rejects.toMatchObject(closed)
    await expect(before.retry('old')).rejects.toMatchObject(closed)
    await run(
      database.url,
      `ALTER TABLE kith.batches RENAME TO studies;
       ALTER TABLE kith.items RENAME COLUMN batch TO study;
       ALTER TABLE kith.results RENAME COLUMN batch TO study;
       UPDATE kith_jobs.job SET data = data - 'batch' || jsonb_build_object('study', data -> 'batch');
       UPDATE kith.versions SET version = 1 WHERE part = 'work'`,
    )
    const now = await Batches.open(database.url)
    await work(now, double, {
      lanes: 1,
      lease: 5,
      untilEmpty: true,
      signal: new AbortController().signal,
      onEvent() {},
    })
    const [progress] = await now.progress()
    expect(progress).toMatchObject({ name: 'old', queries: 5, done: 5, failures: [] })
    await now.close()
  })
})
