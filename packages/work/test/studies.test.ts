import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, postgres, run } from '../../../test/postgres.ts'
import { type Handler, Studies, type Study, type StudyItem, work } from '../src/index.ts'

const itemsOf = (count: number): StudyItem[] =>
  Array.from({ length: count }, (_, i) => ({ query: `q ${i} ’é`, body: Buffer.from(String(i)) }))

const study = (name: string): Study => ({ name, kind: 'double', settings: { by: 2 }, origin: {} })

/** Doubles numbers; what is no number cannot be done. */
const double: Handler = async ({ settings }, items) =>
  items.map(({ query, body }) => {
    const value = Number(Buffer.from(body).toString()) * (settings['by'] as number)
    if (Number.isNaN(value)) throw new Error(`${query} is no number`)
    return { query, body: Buffer.from(String(value)) }
  })

describe.runIf(postgres)('studies', () => {
  const database = emptyDatabase()
  let studies: Studies
  beforeAll(async () => {
    if (postgres) studies = await Studies.open(database.url)
  })
  afterAll(() => studies?.close())

  const workAll = async (handler = double): Promise<string[]> => {
    const failures: string[] = []
    await work(studies, handler, {
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
    for await (const { item, result } of studies.results(name)) {
      expect(result.query).toBe(item.query)
      results.push(Buffer.from(result.body).toString())
    }
    return results
  }

  it('come out in the order of their queries', async () => {
    const submitted = await studies.submit(study('long'), itemsOf(2345), 100)
    expect(submitted).toEqual({ queries: 2345, fresh: true })
    await expect(resultsOf('long')).rejects.toThrow('the study long is not finished: query q 0')
    const [waiting] = await studies.progress()
    expect(waiting).toMatchObject({ queries: 2345, done: 0, rate: 0, secondsLeft: undefined })
    expect(await workAll()).toEqual([])
    expect(await resultsOf('long')).toEqual(itemsOf(2345).map((_, i) => String(2 * i)))
    const [done] = await studies.progress()
    expect(done).toMatchObject({ done: 2345, active: 0, failures: [], secondsLeft: 0 })
    expect(done!.rate).toBeGreaterThan(0)
  })

  it('may be empty', async () => {
    await studies.submit(study('empty'), [], 100)
    expect(await workAll()).toEqual([])
    expect(await resultsOf('empty')).toEqual([])
  })

  it('are the same only if everything is', async () => {
    await studies.submit(study('same'), itemsOf(10), 3)
    // How they are cut into jobs is no part of what they are.
    const again = await studies.submit({ ...study('same'), origin: { x: 1 } }, itemsOf(10), 4)
    expect(again).toEqual({ queries: 10, fresh: false })
    const other = 'there is a study same of other settings or queries'
    await expect(studies.submit(study('same'), itemsOf(11), 3)).rejects.toThrow(other)
    const settings = { by: 3 }
    await expect(studies.submit({ ...study('same'), settings }, itemsOf(10), 3)).rejects.toThrow(
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
    await expect(studies.submit(study('broken'), broken(), 100)).rejects.toThrow('in the middle')
    await expect(studies.find('broken')).rejects.toThrow('there is no study broken')
    expect(await studies.submit(study('broken'), itemsOf(3), 100)).toMatchObject({ fresh: true })
    await workAll()
  })

  it('finish but for what cannot be done', async () => {
    const items = itemsOf(30)
    items[17] = { query: 'bad', body: Buffer.from('?') }
    await studies.submit(study('poison'), items, 10)
    expect(await workAll()).toEqual(Array(3).fill('bad is no number'))
    const poison = (await studies.progress()).find(({ name }) => name === 'poison')
    expect(poison).toMatchObject({
      done: 29,
      failures: [{ from: 10, to: 20, message: 'bad is no number' }],
    })
    const mended: Handler = async (which, some) =>
      double(
        which,
        some.map((item) => (item.query === 'bad' ? { ...item, body: Buffer.from('4') } : item)),
      )
    expect(await studies.retry('poison')).toBe(1)
    expect(await workAll(mended)).toEqual([])
    expect((await resultsOf('poison'))[17]).toBe('8')
  })

  it('leave nothing behind when they are removed', async () => {
    await studies.submit(study('gone'), itemsOf(50), 10)
    const before = await counts()
    await studies.remove('gone')
    const after = await counts()
    expect(before).toEqual([after[0]! + 1, after[1]! + 50, after[2]! + 5])
  })

  const counts = async (): Promise<number[]> => {
    const [row] = await run(
      database.url,
      `SELECT (SELECT count(*)::integer FROM kith.studies) AS a,
         (SELECT count(*)::integer FROM kith.items) AS b,
         (SELECT count(*)::integer FROM kith_jobs.job) AS c`,
    )
    return Object.values(row!) as number[]
  }
})
