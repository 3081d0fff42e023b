import HTTPTypes
import Hummingbird

extension Studio {
  /// `POST report?name=...&size=...`: the files one after the other; the answer names the report.
  /// `GET reports/ID`: the report.
  func addReports(to api: RouterGroup<BasicRequestContext>) {
    api.post("report") { request, _ in
      try await self.reportQueue.admitting { try await self.report(request) }
    }
    api.get("reports/:id") { _, context in
      guard let page = self.reports.page(try context.parameters.require("id")) else {
        throw StudioError(.notFound, "This report is not kept any more; open the model again.")
      }
      var response = Response(page, type: "text/html; charset=utf-8")
      // The report has a policy of its own for what it loads, which is nothing. Its words come from files
      // of strangers, so it is no part of the studio's origin.
      response.headers[.contentSecurityPolicy] = "sandbox allow-scripts; frame-ancestors 'self'"
      return response
    }
  }

  private func report(_ request: Request) async throws -> Response {
    let query = request.uri.queryParameters
    let limit = options.modelLimit
    let files = try UploadedFiles(
      names: query.getAll("name"), sizes: query.getAll("size"), limit: limit)
    let verifies = request.query("verify") != "0"
    let limits = HelperProcess.Limits(memory: options.memoryLimit, seconds: options.timeLimit)
    let page = try await folder.withFolder { folder in
      try await files.write(from: request, into: folder, limit)
      return try await reportQueue.run { [helper] in
        try helper.run(.report(folder: folder, verifies: verifies), limits: limits)
      }
    }
    return Response(json: ["id": reports.add(Array(page))])
  }
}
