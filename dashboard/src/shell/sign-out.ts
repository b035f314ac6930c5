import { api, sentence } from '../api.ts'
import { toast } from '../ui/toast.tsx'

/** Ends this browser's session and leaves the page, which drops everything that was fetched. */
export async function signOut(): Promise<void> {
  try {
    await api.auth.logout()
    location.assign('/sign-in')
  } catch (error) {
    toast({ tone: 'failed', text: `You are still signed in. ${sentence(error)}` })
  }
}
