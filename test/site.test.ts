import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseHTML } from 'linkedom'
import { beforeAll, expect, test } from 'vitest'
import { allCommands } from '../packages/cli/src/command-list.ts'
import { common } from '../packages/cli/src/options/command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'site/dist')
const commands = await allCommands()

/** The pages by their path from `dist`, parsed. */
const pages = new Map<string, Document>()

/** What the build has printed. */
let printed = ''

beforeAll(async () => {
  const build = [join(root, 'site/build.mjs')]
  const ended = await promisify(execFile)(process.execPath, build, { maxBuffer: 2 ** 26 })
  printed = ended.stdout
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue
    const html = readFileSync(join(dist, name), 'utf8')
    pages.set(name.replaceAll('\\', '/'), parseHTML(html).document as unknown as Document)
  }
})

test('has a target for every link, anchors included', () => {
  const dead: string[] = []
  for (const [name, document] of pages) {
    for (const link of document.querySelectorAll('a[href], img[src]')) {
      const address = (link.getAttribute('href') ?? link.getAttribute('src'))!
      if (/^[a-z]+:/.test(address)) continue
      if (!leads(name, address)) dead.push(`${name}: ${address}`)
    }
  }
  expect(dead).toEqual([])
})

test('makes no pages from files that are copied', () => {
  expect([...pages.keys()].filter((name) => name.startsWith('public/'))).toEqual([])
  expect(existsSync(join(dist, 'try/licenses.md'))).toBe(true)
})

test('prints the path of the site after the build', () => {
  const [said] = /the site is in (\S+)/.exec(printed)?.slice(1) ?? []
  expect(resolve(said!)).toBe(join(dist, 'index.html'))
})

test('inverts the pictures in dark mode', () => {
  const styles = filesOf('.css').map((file) => readFileSync(file, 'utf8'))
  expect(styles.join()).toMatch(/\.dark \.VPHero \.image-src[^{]*\{[^}]*filter:\s*invert/)
  const [, turned] = /\.dark \.vp-doc (img[^{,]*)\{[^}]*filter:\s*invert/.exec(styles.join())!
  for (const [name, page] of pages) {
    const pictures = [...page.querySelectorAll('.vp-doc img')]
    const drawn = pictures.filter((one) => /svg/.test(one.getAttribute('src')!))
    expect([name, drawn.filter((one) => !one.matches(turned!)).length]).toEqual([name, 0])
  }
  expect(pages.get('scores.html')!.querySelectorAll('.vp-doc img')).toHaveLength(1)
})

test('loads nothing from outside', () => {
  const outside: string[] = []
  for (const [name, document] of pages) {
    for (const part of document.querySelectorAll('script[src], link[href], img[src]')) {
      const address = (part.getAttribute('src') ?? part.getAttribute('href'))!
      if (/^(?:[a-z]+:)?\/\//.test(address)) outside.push(`${name}: ${address}`)
    }
  }
  for (const style of filesOf('.css')) {
    if (/url\(["']?(?:https?:)?\/\//.test(readFileSync(style, 'utf8'))) outside.push(style)
  }
  expect(outside).toEqual([])
})

test('has a page for every command, with all of its options', () => {
  const overview = textOf('commands/index.html')
  for (const { name, options } of commands) {
    expect(overview).toContain(`kith ${name}`)
    const shown = textOf(`commands/${name.replace(/\W+/g, '-')}.html`)
    const missing = Object.keys({ ...options, ...common }).filter(
      (option) => !shown.includes(`--${option}`),
    )
    expect({ name, missing }).toEqual({ name, missing: [] })
  }
})

test('has a page with the exports of every package', () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const folder of workspaces as string[]) {
    const index = join(root, folder, 'src/index.ts')
    // Packages for Kith's own packages have no page.
    if (!existsSync(index) || /^\/\*\*[\s*]*internal:/i.test(readFileSync(index, 'utf8'))) continue
    const { name } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const page = `api/${name.slice('@kith/'.length)}`
    const shown = textOf(pages.has(`${page}.html`) ? `${page}.html` : `${page}/index.html`)
    const lists = readFileSync(index, 'utf8').matchAll(/^export (?:type )?\{([^}]+)\}/gm)
    const exported = [...lists].flatMap(([, list]) =>
      list!.split(',').map((part) => part.trim().replace(/^type /, '')),
    )
    expect(exported.filter((one) => !shown.includes(one))).toEqual([])
  }
})

test('finds guides, commands and settings by search', () => {
  const [file, ...others] = filesOf('.js').filter((one) => /localSearchIndex/.test(one))
  expect(others).toEqual([])
  const index = readFileSync(file!, 'utf8')
  for (const heading of ['How it works', 'kith labels merge', 'Presets for reranking']) {
    expect(index).toContain(heading)
  }
})

test('lists every page in llms.txt and llms-full.txt', () => {
  const [list, whole] = ['llms.txt', 'llms-full.txt'].map((name) => {
    return readFileSync(join(dist, name), 'utf8')
  })
  const listed = [...list!.matchAll(/^- \[[^\]]+\]\(\/([^)]+)\)/gm)].map(([, file]) => file!)
  // The studio is a program, and the home page a list of links.
  const others = /^(?:try\/|index\.html$|404\.html$)/
  const made = [...pages.keys()].filter((name) => !others.test(name))
  expect(listed.toSorted()).toEqual(made.map((name) => name.replace(/html$/, 'md')).toSorted())
  const missing = listed.filter((file) => !whole!.includes(readFileSync(join(dist, file), 'utf8')))
  expect(missing).toEqual([])
})

/** Whether a link on a page leads to a file, and to an element in it. */
function leads(from: string, address: string): boolean {
  const [path, anchor] = decodeURI(address).split('#')
  const target = path === '' ? from : relative(dist, join(dist, place(from, path!)))
  const name = [target, `${target}.html`, join(target, 'index.html')].find(
    (one) =>
      existsSync(join(dist, one)) && !one.endsWith('/') && (one.includes('.') || pages.has(one)),
  )
  if (!name) return false
  return !anchor || !pages.has(name) || pages.get(name)!.getElementById(anchor) !== null
}

function place(from: string, path: string): string {
  return path.startsWith('/') ? path.slice(1) : join(dirname(from), path)
}

function textOf(page: string): string {
  const document = pages.get(page)
  if (!document) throw new Error(`the site has no page ${page}`)
  return document.querySelector('main')!.textContent
}

function filesOf(ending: string): string[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(dist, name))
}
