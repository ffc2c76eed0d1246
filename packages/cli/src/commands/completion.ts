import { completionScript, isShell, shells } from '../completion/completion-script.ts'
import { defineCommand } from '../options/command.ts'
import { UsageError } from '../options/values.ts'
import { print } from '../terminal/output.ts'

/** `kith completion`: prints the script that completes commands and options in a shell. */
export const completionCommand = defineCommand({
  name: 'completion',
  description:
    'Prints a completion script for your shell. To activate it:\n' +
    '  bash  add to ~/.bashrc: eval "$(kith completion bash)"\n' +
    '  zsh   add to ~/.zshrc, after compinit: eval "$(kith completion zsh)"\n' +
    '  fish  run: kith completion fish > ~/.config/fish/completions/kith.fish',
  example: 'kith completion bash',
  options: {},
  rest: { value: shells.join('|'), help: 'shell to print the script for' },
  async run({ rest = [] }) {
    const [shell, ...more] = rest
    if (!isShell(shell) || more.length > 0) {
      throw new UsageError(`expected one shell (${shells.join(', ')}), got ${rest.join(' ')}`)
    }
    print(completionScript(shell))
  },
})
