import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Application } from 'typedoc'
import { apiPages } from './api-pages.mjs'
import { readLinked } from './links.mjs'
import { generated, root, writePage } from './place.mjs'

/** Writes a page for each module: its package's README, then what the code says. */
export async function writeApi() {
  const pages = apiPages()
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: pages.map(({ source }) => source),
    tsconfig: join(root, 'site/tsconfig.json'),
    // The code is checked elsewhere.
    skipErrorChecking: true,
    logLevel: 'Error',
    readme: 'none',
    excludeExternals: true,
    disableSources: true,
    groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables'],
    outputs: [{ name: 'markdown', path: join(generated, 'api') }],
    router: 'module',
    entryFileName: 'index',
    excludeScopesInPaths: true,
    // Names of their own, since a heading such as Methods may be called like an export.
    useCustomAnchors: true,
    anchorPrefix: 'api-',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hideGroupHeadings: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    propertyMembersFormat: 'table',
    tableColumnSettings: {
      hideDefaults: true,
      hideModifiers: true,
      hideInherited: true,
      hideOverrides: true,
      hideSources: true,
    },
  })
  const project = await app.convert()
  if (!project) throw new Error('typedoc could not read the packages: is everything built?')
  for (const module of project.children ?? []) {
    const found = pages.find(({ source }) => nameOf(source) === module.name)
    if (!found) throw new Error(`no page for typedoc's module ${module.name}`)
    module.name = found.module
  }
  await app.generateOutputs(project)
  if (app.logger.hasErrors()) throw new Error('typedoc reported errors')
  for (const { readme, name, page, source } of pages) {
    const members = membersOf(page, name, source)
      .replace(/^# .*\n/, '')
      // Constructors have no anchor.
      .replace(/\[(`constructor`)\]\([^)]*\)/g, '$1')
    const intro = readme ? readLinked(readme, page) : `# ${name}\n`
    writePage(page, `---\noutline: 2\n---\n\n${intro}\n${members}`)
  }
  const list = pages.map(({ name, page }) => `- [${name}](./${page.slice('api/'.length)})`)
  writePage('api/index.md', `# API\n\nWhat each package exports.\n\n${list.join('\n')}\n`)
}

/**
 * The page that typedoc wrote for a module; the first comment of a module without exports; nothing for
 * a module whose exports are all on its package's page.
 */
function membersOf(page, name, source) {
  const file = join(generated, page)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const code = readFileSync(source, 'utf8')
  if (!/^export /m.test(code)) {
    const [, comment] = /^\/\*\*\n(.*?) \*\//s.exec(code)
    return comment.replaceAll(/^ \* ?/gm, '')
  }
  const [scope, main] = name.split('/')
  return `Everything here is also exported by [${scope}/${main}](./${main}.md).\n`
}

/** The name of a module in typedoc: its path without `index`. */
function nameOf(source) {
  return relative(join(root, 'packages'), source).replace(/(\/index)?\.ts$/, '')
}
