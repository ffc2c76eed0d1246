import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { writeEmbeddings } from '@kith/ir'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, program, succeed } from './support.ts'

const folder = temporaryFolder()
const notes = join(folder, 'notes')
const environment = {
  ...(process.env as Record<string, string>),
  KITH_CACHE: join(folder, 'cache'),
}
const args = [program, 'mcp', '--folder', notes, '--threads', '1']
const long = 'Bees sleep. '.repeat(200).trim()

beforeAll(() => {
  mkdirSync(notes)
  writeFileSync(join(notes, 'bees.md'), '# Bees\n\nBees find flowers by color and scent.\n')
  writeFileSync(join(notes, 'ships.md'), '# Ships\n\nSailors mend sails in the harbour.\n')
  writeFileSync(join(notes, 'long.md'), long)
})

test('lets the SDK’s client search a folder and read documents', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args, '--about', 'notes of a beekeeper'],
    env: environment,
    stderr: 'pipe',
  })
  let errors = ''
  transport.stderr!.on('data', (data) => {
    errors += data
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['search', 'document'])
  expect(tools[0]!.description).toContain('Searches notes of a beekeeper by meaning')
  expect(tools[0]!.inputSchema).toMatchObject({
    required: ['query'],
    properties: { query: { maxLength: 2000 }, top: { minimum: 1, maximum: 50, default: 5 } },
  })
  const search = (given: object) =>
    client.callTool({ name: 'search', arguments: given as Record<string, unknown> })
  const found = await search({ query: 'how do insects find flowers', top: 2 })
  const { results } = found.structuredContent as { results: Record<string, unknown>[] }
  expect(results).toHaveLength(2)
  expect(results[0]).toEqual({
    id: 'bees.md:3',
    title: 'Bees',
    text: 'Bees find flowers by color and scent.',
    score: expect.any(Number),
    similarity: expect.any(Number),
    matched: expect.arrayContaining(['find', 'flower']),
  })
  const [content] = found.content as { type: string; text: string }[]
  expect(JSON.parse(content!.text)).toEqual({ results })
  const sleepers = await search({ query: 'who sleeps', top: 1 })
  const [cut] = (sleepers.structuredContent as { results: { id: string; text: string }[] }).results
  expect(cut!.text).toBe(long.slice(0, 2000))
  const whole = await client.callTool({ name: 'document', arguments: { id: cut!.id } })
  expect(whole.structuredContent).toEqual({ id: 'long.md:1', title: 'long.md', text: long })
  expect(cut).toMatchObject({ truncated: true })
  for (const [wrong, message] of [
    [{}, 'query'],
    [{ query: ' ' }, 'query'],
    [{ query: 'x'.repeat(2001) }, '2000'],
    [{ query: 'bees', top: 51 }, '50'],
    [{ query: 'bees', top: 1.5 }, 'top'],
  ] as const) {
    const refused = await search(wrong)
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused.content)).toContain(message)
  }
  const read = (id: string) => client.callTool({ name: 'document', arguments: { id } })
  const note = await read('bees.md')
  const text = '# Bees\n\nBees find flowers by color and scent.\n'
  expect(note.structuredContent).toEqual({ id: 'bees.md', text })
  writeFileSync(join(notes, 'later.md'), 'not indexed')
  writeFileSync(join(folder, 'secret.md'), 'secret')
  for (const id of [
    ...['../secret.md', join(folder, 'secret.md'), 'later.md', './bees.md', join(notes, 'bees.md')],
    ...['../notes/bees.md', 'bees.md/', 'bees.md\0', 'BEES.md', 'bees.md:1', '.', '..'],
  ]) {
    const none = await read(id)
    expect(none).toMatchObject({ isError: true })
    expect(JSON.stringify(none.content)).toContain('no document has the id')
  }
  // A link in the place of a note is not followed.
  rmSync(join(notes, 'ships.md'))
  symlinkSync(join(folder, 'secret.md'), join(notes, 'ships.md'))
  const linked = await read('ships.md')
  expect(linked).toMatchObject({ isError: true })
  expect(JSON.stringify(linked.content)).toContain('ships.md: has become a symbolic link')
  rmSync(join(notes, 'ships.md'))
  await client.close()
  expect(errors).toBe('')
})

/** Starts the server, and sends it one call of a tool: the bytes of its answer, and what is in it. */
async function callOnce(given: string[], name: string, argument: object) {
  const child = spawn(process.execPath, [program, 'mcp', '--threads', '1', ...given], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const client = { name: 'test', version: '1' }
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: client },
  })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: { name, arguments: argument } })
  let [errors, line] = ['', '']
  child.stderr.on('data', (data) => {
    errors += data
  })
  for await (const answer of createInterface({ input: child.stdout })) {
    line = answer
    if (answer.includes('"id":2}')) break
  }
  child.stdin.end()
  expect(await ended).toEqual([0, null])
  const { result } = JSON.parse(line) as { result: { structuredContent: unknown } }
  return { bytes: Buffer.byteLength(line), content: result.structuredContent, errors }
}

test('bounds the answer for a file with thousands of sections below one heading', async () => {
  const hostile = join(folder, 'hostile')
  mkdirSync(hostile)
  const heading = `# ${'bees '.repeat(100_000)}`
  writeFileSync(join(hostile, 'a.md'), `${heading}\n${'## s\nhoney\n'.repeat(2000)}`)
  const given = ['--folder', hostile]
  const { bytes, errors } = await callOnce(given, 'search', { query: 'bees', top: 50 })
  expect(bytes).toBeLessThan(100_000)
  expect(errors).toContain(`1 headings cut to 200 characters, such as ${join(hostile, 'a.md')}`)
})

test('returns an empty answer with the reason for a query about another subject', async () => {
  const hives = join(folder, 'hives')
  mkdirSync(hives)
  const subjects = ['The queen', 'A worker bee', 'The beekeeper', 'A swarm', 'The drone', 'Brood']
  const verbs = ['leaves the hive', 'guards the entrance', 'fills the comb with honey']
  const ends = ['in spring', 'before the winter', 'when the lime trees bloom', 'after rain']
  subjects.forEach((subject, i) => {
    const lines = verbs.flatMap((verb) => ends.map((end) => `${subject} ${verb} ${end}.`))
    writeFileSync(join(hives, `${i}.md`), lines.map((line) => `## ${line}\n\n${line}\n`).join('\n'))
  })
  const ask = (query: string) => callOnce(['--folder', hives], 'search', { query, top: 3 })
  const off = await ask('How do I file my income tax return?')
  expect(off.content).toEqual({ results: [], reason: expect.stringContaining('off topic') })
  const on = await ask('Which bee guards the entrance of the hive?')
  const { results } = on.content as { results: object[] }
  expect(results).toHaveLength(3)
  expect(results[0]).toMatchObject({
    relevance: expect.any(Number),
    similarity: expect.any(Number),
  })
})

describe('German texts', () => {
  const query = { query: 'Wann schliessen die Museen in Muenchen?', top: 1 }
  const texts = {
    bakery: 'Der Bäcker in der Altstadt verkauft schon am frühen Morgen Brot und Kuchen.',
    station: 'Auf dem Bahnhof wartet eine lange Schlange, weil der Zug nach Wien ausfällt.',
    museum: 'Das Museum am Münchner Marktplatz schließt um sechs, die Kasse etwas früher.',
  }
  const found = async (given: string[]) => {
    const { content, errors } = await callOnce(given, 'search', query)
    return { ...(content as { results: { id: string; matched: string[] }[] }).results[0]!, errors }
  }

  test('in a store are searched with the tokenizer of the store, without an option', async () => {
    const [docs, corpus, store] = ['de.npy', 'de.jsonl', 'lance'].map((name) => join(folder, name))
    const ids = Object.keys(texts)
    // Only words tell these documents apart.
    const data = new Float32Array(3 * 384).fill(0.05)
    await writeEmbeddings(docs!, { dimensions: 384, ids }, [data])
    const lines = Object.entries(texts).map(([_id, text]) => JSON.stringify({ _id, text }))
    writeFileSync(corpus!, lines.join('\n'))
    const files = ['--store', store!, '--docs', docs!, '--corpus', corpus!]
    succeed('load', ...files, '--tokenizer', 'auto')
    expect(await found(['--store', store!])).toMatchObject({
      id: 'museum',
      matched: ['schli*', 'munch*'],
    })
  })

  test('in a folder are searched with the tokenizer that is named or detected', async () => {
    const museums = join(folder, 'museums')
    mkdirSync(museums)
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(museums, `${name}.md`), text)
    }
    const detected = await found(['--folder', museums, '--tokenizer', 'auto'])
    expect(detected.matched).toContain('munch*')
    expect(detected.errors).toContain('tokenizer: german, by the texts of the corpus')
    const named = await found(['--folder', museums, '--tokenizer', 'german'])
    expect(named).toMatchObject({ id: 'museum.md:1', matched: detected.matched })
    expect((await found(['--folder', museums])).matched).not.toContain('munch*')
  })
})

test('truncates titles, and counts the results that exceed the size of an answer', async () => {
  const [docs, corpus] = [join(folder, 'docs.npy'), join(folder, 'corpus.jsonl')]
  const ids = Array.from({ length: 50 }, (_, i) => `${i}-${'x'.repeat(30_000)}`)
  const data = Float32Array.from({ length: 50 * 384 }, (_, i) => Math.sin(i * i))
  await writeEmbeddings(docs, { dimensions: 384, ids }, [data])
  const title = `${'t'.repeat(499)}\u{1f41d}${'t'.repeat(1000)}`
  const text = 'honey '.repeat(400)
  writeFileSync(corpus, ids.map((_id) => JSON.stringify({ _id, title, text })).join('\n'))
  const given = ['--store', docs, '--corpus', corpus]
  const found = await callOnce(given, 'search', { query: 'honey', top: 50 })
  const { results, omitted } = found.content as { results: { title: string }[]; omitted: number }
  expect(results.length + omitted).toBe(50)
  expect(omitted).toBeGreaterThan(0)
  expect(found.bytes).toBeLessThan(2.2 * 2 ** 20)
  const cut = { title: 't'.repeat(499), text: text.slice(0, 2000), truncated: true }
  expect(results[0]).toMatchObject(cut)
  expect(results[0]).toMatchObject({ id: expect.stringMatching(/^\d+-x+$/) })
})

test('exits at the end of standard input and on SIGTERM, also while it opens the folder', async () => {
  for (const end of ['input', 'signal']) {
    const child = spawn(process.execPath, args, { env: environment })
    const ended = once(child, 'exit')
    let printed = ''
    child.stdout.on('data', (data) => {
      printed += data
    })
    const request = { jsonrpc: '2.0', id: 1, method: 'ping' }
    child.stdin.write(`${JSON.stringify(request)}\n`)
    await once(child.stdout, 'data')
    if (end === 'input') child.stdin.end()
    else child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(printed).toBe('{"result":{},"jsonrpc":"2.0","id":1}\n')
  }
})

test('reports in one line that a folder cannot be opened, and prints nothing on standard output', () => {
  const usage = kith('mcp')
  expect(usage).toMatchObject({ code: 2, out: '' })
  expect(usage.err).toContain('exactly one of --folder FOLDER and --store ADDRESS')
})
