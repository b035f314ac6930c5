import { Link } from '@tanstack/react-router'
import { MapPinOff } from 'lucide-react'
import { buttonLook } from '../ui/button.tsx'
import { Empty } from '../ui/placeholder.tsx'

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <main>
      <Empty
        alone
        picture={<MapPinOff />}
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonLook()}>
            Back to the overview
          </Link>
        }
      >
        It may have been deleted, or the link is wrong.
      </Empty>
    </main>
  )
}
