import { createLink } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

type NameProps = Omit<ComponentProps<'a'>, 'children' | 'title' | 'dir'> & { name: string }

function Name({ name, className, ...props }: NameProps) {
  return (
    <a {...props} title={name} dir="auto" className={clsx('clip block', className)}>
      {name}
    </a>
  )
}

/** A link whose text people have written: cut to one line, whole when pointed at, in the direction of its script. */
export const NameLink = createLink(Name)

/** The look of such a link to a post, where posts are listed. */
export const POST_NAME = 'rounded-sm font-serif text-[1rem] font-[550] hover:underline'
