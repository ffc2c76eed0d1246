import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../scripts/postgres/cluster.mjs'
import { makeBuildFolders } from '../scripts/postgres/vector.mjs'
import { temporaryFolder } from './files.ts'
import { ownPostgres, startCluster } from './postgres.ts'

// Real servers, on any machine: slow is not wrong.

const modeOf = (path: string): number => lstatSync(path).mode & 0o777
const isRoot = process.getuid?.() === 0

test('builds pgvector in folders that nobody else can write or read', () => {
  // Even for somebody who lets everybody write to everything.
  const before = process.umask(0)
  const { all, downloads, source } = makeBuildFolders()
  process.umask(before)
  try {
    const folders = readdirSync(all, { recursive: true }).map((name) => join(all, String(name)))
    for (const folder of [all, ...folders]) expect(modeOf(folder) & 0o022).toBe(0)
    expect([modeOf(source), modeOf(downloads)]).toEqual([0o700, 0o700])
    expect(modeOf(all) & 0o066).toBe(0)
    expect(lstatSync(source).uid).toBe(process.getuid?.())
  } finally {
    rmSync(all, { recursive: true })
  }
})

describe.runIf(ownPostgres)('a private PostgreSQL', () => {
  const folder = temporaryFolder()
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster?.remove())

  test('hides its folder and its password from other users', () => {
    expect(modeOf(cluster.folder) & 0o066).toBe(0)
    expect(lstatSync(cluster.folder).uid).toBe(process.getuid?.())
    expect(readdirSync(cluster.folder).toSorted()).toEqual(['data', 'url'])
    expect(modeOf(join(cluster.folder, 'url'))).toBe(0o600)
    expect(modeOf(cluster.data)).toBe(0o700)
  })

  test.runIf(isRoot)('does not follow a link in its data when root writes', () => {
    const [precious, settings] = [join(folder, 'precious'), join(cluster.data, 'postgresql.conf')]
    writeFileSync(precious, 'as it was', { mode: 0o600 })
    const kept = readFileSync(settings)
    rmSync(settings)
    symlinkSync(precious, settings)
    expect(() => cluster.configure({ port: '1' })).toThrow('Permission denied')
    expect(readFileSync(precious, 'utf8')).toBe('as it was')
    rmSync(settings)
    writeFileSync(settings, kept, { mode: 0o644 })
  })
})
