/** Sites that their host builds anew: what a deploy hook is, in words. */
import { Field, Input } from '../ui/field.tsx'

/** What such sites are called where people choose what theirs is made with. */
export const BUILD_HOOK_NAME = 'Its host builds it (Netlify, Vercel, Cloudflare Pages)'

type HookFieldProps = { error: string | undefined; defaultValue?: string }

/** Asks for the address of the hook. */
export function HookField({ error, defaultValue = '' }: HookFieldProps) {
  return (
    <Field
      label="Deploy hook"
      required
      error={error}
      hint="Your host makes this address: Netlify under “Build hooks”, Vercel and Cloudflare Pages under “Deploy hooks”. Calling it starts a build. Keep it secret."
    >
      <Input
        type="url"
        name="webhook_url"
        mono
        autoComplete="off"
        placeholder="https://api.netlify.com/build_hooks/…"
        defaultValue={defaultValue}
      />
    </Field>
  )
}

/** Says what happens when posts change. */
export function HookWords({ seconds }: { seconds: number }) {
  return (
    <p className="text-quiet">
      When posts change, Postrider calls the hook, and your host builds the site again. The first change is sent at
      once; those that follow go together, at most one build in {seconds} seconds.
    </p>
  )
}
