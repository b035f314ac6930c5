/** Uploading pictures. `fetch` says nothing of how far it is, so this does not go through the SDK. */
import { type Medium, PostriderError } from '@postrider/sdk'
import { UnreachableError } from '../session.ts'

/** What pictures may be uploaded: the types for a file chooser. */
export const PICTURE_TYPES = 'image/jpeg,image/png,image/gif,image/webp,image/avif'

/** Uploads a picture; `onProgress` receives the share that has been sent. Throws as the SDK does, or the reason of the signal. */
export function uploadPicture(
  file: File,
  { onProgress, signal }: { onProgress: (share: number) => void; signal: AbortSignal },
): Promise<Medium> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/api/media?${new URLSearchParams({ name: file.name })}`)
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
    request.addEventListener('load', () => {
      const { status, response } = request
      if (status === 201) resolve(response as Medium)
      else reject(new PostriderError(new Response(null, { status: status || 500 }), response))
    })
    request.addEventListener('error', () => reject(new UnreachableError('The service was not reached.')))
    request.addEventListener('abort', () => reject(signal.reason))
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}

/** The files among what was dropped or pasted that look like pictures. */
export function picturesOf(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))
}

/** Where this page shows a picture, in about this width: the service that served the page has it too. */
export function shownAt({ url, variants }: Medium, width: number): string {
  const variant = variants.find((one) => one.type === 'image/webp' && one.width >= width)
  const { pathname, search } = new URL(variant?.url ?? url)
  return pathname.slice(pathname.indexOf('/media/')) + search
}
