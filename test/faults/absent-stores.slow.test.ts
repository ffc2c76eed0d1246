import { expect, test } from 'vitest'
import { temporaryFolder } from '../files.ts'
import { emptyDatabase, postgres } from '../postgres.ts'
import { askAbsentStores } from './absent-stores.mjs'

const folder = temporaryFolder()
const databases = [emptyDatabase(), emptyDatabase()] as const

test('reading a store that does not exist is an error, and creates nothing', async () => {
  const urls = postgres ? ([databases[0].url, databases[1].url] as const) : undefined
  const { asked, problems } = await askAbsentStores(folder, urls)
  expect(problems).toEqual([])
  expect(asked).toBeGreaterThan(30)
})
