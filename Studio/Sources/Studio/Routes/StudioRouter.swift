import HTTPTypes
import Hummingbird

extension Studio {
  /// All addresses, behind the token.
  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: AccessMiddleware(policy: AccessPolicy(token)))
    let own = router.group(":token")
    for (name, response) in PageFiles.responses {
      own.get(RouterPath(name)) { _, _ in response() }
    }
    own.get { [token] _, _ in Response.redirect(to: "/\(token.text)/model") }
    addOverview(to: own.group("api"))
    addReports(to: own.group("api"))
    addPictures(to: own.group("api"))
    addSearch(to: own.group("api"))
    addSketches(to: own.group("api"))
    return router
  }

  private func addOverview(to api: RouterGroup<BasicRequestContext>) {
    api.get("studio") { _, _ in Response(json: Overview(self)) }
  }
}

/// What the pages offer.
private struct Overview: Encodable {
  struct Model: Encodable {
    let name, kind: String
    let labels: [String]
    let problem: String?
  }

  let models: [Model]
  let hasPhotos, hasSketches: Bool
  let modelLimit, pictureLimit: Int

  init(_ studio: Studio) {
    models = studio.shelf.models.map {
      Model(name: $0.name, kind: $0.kind, labels: $0.labels, problem: $0.problem)
    }
    (hasPhotos, hasSketches) = (studio.photos != nil, studio.sketches != nil)
    modelLimit = studio.options.modelLimit.byteCount
    pictureLimit = studio.options.pictureLimit.byteCount
  }
}

extension Request {
  /// A value of the query.
  func query(_ name: String) -> String? { uri.queryParameters.get(name) }
}
