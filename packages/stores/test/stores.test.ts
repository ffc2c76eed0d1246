import { join } from 'node:path'
import { describe } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import { conformance } from './conformance.ts'

const folder = temporaryFolder()
let made = 0

conformance({
  name: 'files',
  fresh: () => join(folder, `docs-${made++}.npy`),
  texts: false,
  filter: undefined,
  approximate: false,
})

conformance({
  name: 'LanceDB',
  fresh: () => join(folder, `lance#collection_${made++}`),
  texts: true,
  filter: "id IN ('d0', 'd1')",
  approximate: true,
})

describe.runIf(postgres)('PostgreSQL with pgvector', () => {
  const database = emptyDatabase()
  conformance({
    name: 'any collection',
    fresh: () => `${database.url}#collection_${made++}`,
    texts: true,
    filter: "id IN ('d0', 'd1')",
    approximate: true,
  })
})
