/** The calls of the Management API about what a post was, what it is to become, who may read it before, and whether it is there at all. */
import type { CallOptions, Transport } from './transport.ts'
import type {
  CreatePreview,
  DiffRevisions,
  ListProposals,
  ListRevisions,
  PostWithDeliveries,
  PreviewLink,
  PreviewLinkList,
  Proposal,
  ProposalList,
  Propose,
  Revision,
  RevisionDiff,
  RevisionPage,
  SaveWorkingCopy,
  WorkingCopy,
} from './types.ts'

/** The header that makes a call only if this is still the present version, or save (412 otherwise). */
export const ifMatch = (seen: number | string | undefined) =>
  seen === undefined ? {} : { headers: { 'if-match': `"${seen}"` } }

const at = (id: string, action: string) => `/api/posts/${encodeURIComponent(id)}/${action}`

/** The calls, which a client has under `posts`. */
export function versionCalls(call: Transport) {
  const get = <Result>(path: string, { signal }: CallOptions = {}, query: object = {}) =>
    call<Result>({ method: 'GET', path, query, signal })
  const post = (path: string, seen: number | string | undefined, { signal }: CallOptions = {}) =>
    call<PostWithDeliveries>({ method: 'POST', path, ...ifMatch(seen), signal })
  return {
    /** Puts a post into the trash; with `version`, only if that is still its version (412 otherwise). */
    trash: (id: string, version?: number, options?: CallOptions) => post(at(id, 'trash'), version, options),
    /** Takes a post out of the trash, as a draft. */
    untrash: (id: string, options?: CallOptions) => post(at(id, 'untrash'), undefined, options),
    /** A page of a post's versions, newest first, without their texts. */
    revisions: (id: string, query: ListRevisions = {}, options?: CallOptions) =>
      get<RevisionPage>(at(id, 'revisions'), options, query),
    /** A version of a post, as it was. */
    revision: (id: string, version: number, options?: CallOptions) =>
      get<Revision>(at(id, `revisions/${version}`), options),
    /** What differs between two versions of a post: by default the present one and the one before. */
    diff: (id: string, versions: DiffRevisions = {}, options?: CallOptions) =>
      get<RevisionDiff>(at(id, 'revisions/diff'), options, versions),
    /** Gives a post the content that it had at a version; with `ifVersion`, only if that is its present one (412 otherwise). */
    restore: (id: string, version: number, ifVersion?: number, options?: CallOptions) =>
      post(at(id, `revisions/${version}/restore`), ifVersion, options),
    /** Proposals to publish posts: a program makes them, a person decides. */
    proposals: {
      /** Newest first; with `post_id`, only the one about this post. */
      list: (query: ListProposals = {}, options?: CallOptions) => get<ProposalList>('/api/proposals', options, query),
      /** Proposes to publish a post, or the changes of one that is published. */
      make: (id: string, input: Propose, { signal }: CallOptions = {}) =>
        call<Proposal>({ method: 'PUT', path: at(id, 'proposal'), body: input, signal }),
      dismiss: (id: string, { signal }: CallOptions = {}) =>
        call<void>({ method: 'DELETE', path: at(id, 'proposal'), signal }),
    },
    /** Links with which somebody without an account can read the post as it is now, published or not. */
    previews: {
      /** Makes a link; without `expires_in` (seconds) it works for a week. */
      create: (id: string, input: Partial<CreatePreview> = {}, { signal }: CallOptions = {}) =>
        call<PreviewLink>({ method: 'POST', path: at(id, 'previews'), body: input, signal }),
      list: (id: string, options?: CallOptions) => get<PreviewLinkList>(at(id, 'previews'), options),
      revoke: (id: string, previewId: string, { signal }: CallOptions = {}) =>
        call<void>({ method: 'DELETE', path: at(id, `previews/${encodeURIComponent(previewId)}`), signal }),
    },
    /** Changes that are not published. `seen`: the `save_id` of the working copy that you have or, without one, the post's `version`. */
    workingCopy: {
      get: (id: string, options?: CallOptions) => get<WorkingCopy>(at(id, 'working-copy'), options),
      /** Saves changes in place of those before; with `seen`, only if nobody has saved or published others since (412 otherwise). */
      save: (id: string, changes: SaveWorkingCopy, seen?: number | string, { signal }: CallOptions = {}) =>
        call<WorkingCopy>({ method: 'PUT', path: at(id, 'working-copy'), body: changes, ...ifMatch(seen), signal }),
      discard: (id: string, seen?: number | string, { signal }: CallOptions = {}) =>
        call<void>({ method: 'DELETE', path: at(id, 'working-copy'), ...ifMatch(seen), signal }),
      /** Makes the changes part of the post, and sends it to the sites that have it. */
      publish: (id: string, seen?: number | string, options?: CallOptions) =>
        post(at(id, 'working-copy/publish'), seen, options),
    },
  }
}
