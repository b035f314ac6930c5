/** What the Management API takes and answers, by its names in the OpenAPI document. */
import type { components, operations } from './generated/api.ts'

type Schemas = components['schemas']
export type User = Schemas['User']
export type Session = Schemas['Session']
export type Account = Schemas['Account']
export type UpdateAccount = Schemas['UpdateAccount']
export type ChangePassword = Schemas['ChangePassword']
export type Post = Schemas['Post']
export type PostWithDeliveries = Schemas['PostWithDeliveries']
/** A post as `create` and `update` return it: `warnings` says what the body that was given could not keep. */
export type WrittenPost = Schemas['WrittenPost']
export type ConversionWarning = Schemas['ConversionWarning']
export type Site = Schemas['Site']
export type SiteWithSecrets = Schemas['SiteWithSecrets']
export type CreatePost = Schemas['CreatePost']
export type ConvertedBody = Schemas['ConvertedBody']
export type UpdatePost = Schemas['UpdatePost']
export type Backfill = Schemas['Backfill']
export type CanonicalAddresses = Schemas['CanonicalAddresses']
export type BackfillResult = Schemas['BackfillResult']
export type Incident = Schemas['Incident']
export type IncidentList = Schemas['IncidentList']
export type NotificationChannel = Schemas['NotificationChannel']
export type NotificationChannelList = Schemas['NotificationChannelList']
export type NotificationTest = Schemas['NotificationTest']
export type CreateNotificationChannel = Schemas['CreateNotificationChannel']
export type UpdateNotificationChannel = Schemas['UpdateNotificationChannel']
export type ResetPassword = Schemas['ResetPassword']
export type CreateSite = Schemas['CreateSite']
export type UpdateSite = Schemas['UpdateSite']
export type Dispatched = Schemas['Dispatched']
export type DetectedPlatform = Schemas['DetectedPlatform']
export type TestDelivery = Schemas['TestDelivery']
export type RotatedKeys = Schemas['RotatedKeys']
export type Overview = Schemas['Overview']
export type PagesChecked = Schemas['PagesChecked']
export type DeliveriesOverTime = Schemas['DeliveriesOverTime']
export type PostDeliveries = Schemas['PostDeliveries']
export type Failures = Schemas['Failures']
export type RetryQueued = Schemas['RetryQueued']
export type ListedPost = Schemas['ListedPost']
export type ChangePosts = Schemas['ChangePosts']
export type PostsChanged = Schemas['PostsChanged']
export type LoggedDelivery = Schemas['LoggedDelivery']
export type DeliveryDetails = Schemas['DeliveryDetails']
export type DeliveriesRequeued = Schemas['DeliveriesRequeued']
export type DeliveryRequeued = Schemas['DeliveryRequeued']
export type RetryDeliveries = Schemas['RetryDeliveries']
export type RetrySite = Schemas['RetrySite']
export type Medium = Schemas['Medium']
export type MediaPage = Schemas['MediaPage']
export type AddMediumFromUrl = Schemas['AddMediumFromUrl']
export type UpdateMedium = Schemas['UpdateMedium']
export type Proposal = Schemas['Proposal']
export type ProposalList = Schemas['ProposalList']
export type Propose = Schemas['Propose']
export type Revision = Schemas['Revision']
export type RevisionDiff = Schemas['RevisionDiff']
export type RevisionPage = Schemas['RevisionPage']
export type RevisionSummary = Schemas['RevisionSummary']
export type ApiToken = Schemas['ApiToken']
export type ApiTokenList = Schemas['ApiTokenList']
export type CreateApiToken = Schemas['CreateApiToken']
export type NewApiToken = Schemas['NewApiToken']
export type CreatePreview = Schemas['CreatePreview']
export type PreviewLink = Schemas['PreviewLink']
export type PreviewLinkList = Schemas['PreviewLinkList']
export type SaveWorkingCopy = Schemas['SaveWorkingCopy']
export type WorkingCopy = Schemas['WorkingCopy']
export type SiteRetried = Schemas['SiteRetried']
export type DeliveryPage = Schemas['DeliveryPage']
export type ListedPostPage = Schemas['ListedPostPage']
export type GenerateDraft = Schemas['GenerateDraft']
export type GenerationJob = Schemas['GenerationJob']
export type PostPage = Schemas['PostPage']
export type SiteList = Schemas['SiteList']

/** What an account logs in with. */
export type Credentials = { email: string; password: string }

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>

/** Filters of a list of posts. */
export type ListPosts = Query<'listPosts'>

/** Filters and order of a list of posts without their texts. The order `scheduled_at` puts the next due post first. */
export type ListSummaries = Query<'listPostSummaries'>

export type Import = Schemas['Import']
/** An import with what its report says of all posts. */
export type ImportWithReport = Schemas['ImportWithReport']
export type ImportPage = Schemas['ImportPage']
export type ImportedPost = Schemas['ImportedPost']
export type ImportedPostPage = Schemas['ImportedPostPage']

/** How an import is run. */
export type RunImport = Schemas['RunImport']

/** A page of imports. */
export type ListImports = Query<'listImports'>

/** Which posts of an import to list. */
export type ListImportedPosts = Query<'listImportedPosts'>

/** The format of an export. */
export type ExportPosts = Query<'exportPosts'>

/** Which proposals to list. */
export type ListProposals = Query<'listProposals'>

/** The versions of a post to compare. */
export type DiffRevisions = Query<'diffRevisions'>

/** A page of a post's versions. `cursor` is the one of the page before. */
export type ListMedia = Query<'listMedia'>
export type ListRevisions = Query<'listRevisions'>

/** Filters of the delivery log. `cursor` is the `next_cursor` of the page before. */
export type ListDeliveries = Query<'listDeliveries'>

/** A period, in dates or in times with an offset, and optionally a site. */
export type AnalyticsRange = Query<'getOverview'>

/** As `AnalyticsRange`, with the length of an interval. */
export type DeliveriesOverTimeRange = Query<'getDeliveriesOverTime'>

/** Since when, and optionally a site. */
export type FailuresRange = Query<'listFailures'>
