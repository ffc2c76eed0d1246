import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'

/** The browser of this machine; tests without one are skipped, in CI they fail. */
export const browser = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)
if (!browser) {
  const advice = 'no Chromium: install it (Debian: apt-get install chromium)'
  if (process.env['CI']) throw new Error(advice)
  console.warn(`skipped: ${advice}`)
}

/** Starts the browser with a fresh profile for as long as a function runs. */
export async function withBrowser(use: (context: BrowserContext) => Promise<void>): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'kith-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
  try {
    await use(context)
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
