import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { code, commandLine } from '../model/copy.ts'
import { addressOf, type StudioState } from '../model/state.ts'

/** Takes what the page shows elsewhere: as a link, a command or a program. */
export function Share({ info, state }: { info: StudioInfo; state: StudioState }): VNode {
  const { files } = info
  const [said, setSaid] = useState('')
  const copy = (what: string, text: string): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid(`Copied: ${what}.`),
      // A browser may forbid it; the text can still be marked and copied by hand.
      () => setSaid(text),
    )
  }
  return (
    <div class="share">
      <div class="buttons">
        {files && (
          <>
            <button
              type="button"
              onClick={() => copy('the link', new URL(addressOf(state), location.href).href)}
            >
              Copy link
            </button>
            <button
              type="button"
              onClick={() => copy('the command', commandLine(state, info, files))}
            >
              Copy command
            </button>
          </>
        )}
        <button type="button" onClick={() => copy('the code', code(state.settings, info))}>
          Copy code
        </button>
      </div>
      <p class="note" role="status">
        {said}
      </p>
    </div>
  )
}
