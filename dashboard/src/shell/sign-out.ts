import { api, sentence } from '../api.ts'
import { toast } from '../ui/toast.tsx'

/** Ends this browser's session and leaves. All that was read goes with the page. */
export async function signOut(): Promise<void> {
  try {
    await api.auth.logout()
    location.assign('/sign-in')
  } catch (error) {
    toast({ tone: 'failed', text: `You are still signed in. ${sentence(error)}` })
  }
}
