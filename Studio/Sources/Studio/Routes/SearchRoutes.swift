import Foundation
import HTTPTypes
import Hummingbird
import ImageSearch

/// What is searched for.
struct SearchRequest: Decodable, Sendable {
  struct Object: Decodable, Sendable {
    let label: String
    let x, y, width, height: Double
  }

  let objects: [Object]
  /// The width of the page that the boxes were drawn on over its height.
  let aspect: Double

  /// The most photos in an answer.
  private static let countLimit = 24

  var query: CompositionQuery {
    let objects = objects.map {
      Composition.Object(
        label: $0.label, box: Box(x: $0.x, y: $0.y, width: $0.width, height: $0.height))
    }
    var query = CompositionQuery(Composition(objects: objects, aspectRatio: aspect))
    query.maximumCount = Self.countLimit
    return query
  }
}

/// The photos that fit, the best first.
private struct SearchAnswer: Encodable {
  struct Term: Encodable {
    let name: String
    let value, weight: Double
  }

  struct Photo: Encodable {
    let name: String
    let width, height: Int
    let cost: Double
    let terms: [Term]
    let objects: [FoundObject]
  }

  let photos: [Photo]
  let status: PictureLibrary.Status
}

extension Studio {
  /// `GET photos?model=...`: how far looking at the photos is. `POST search?model=...`: a layout; the answer
  /// has the photos that fit. `GET photo?name=...`: a photo.
  func addSearch(to api: RouterGroup<BasicRequestContext>) {
    api.get("photos") { request, _ in
      let library = try self.photoLibrary(try self.shelf.model(request.query("model")))
      library.refresh()
      return Response(json: library.status)
    }
    api.post("search") { request, _ in
      let library = try self.photoLibrary(try self.shelf.model(request.query("model")))
      return try await self.searchQueue.admitting {
        let wanted = try await request.json(SearchRequest.self, UploadLimit(byteCount: 1 << 20))
        return Response(json: try await self.searchQueue.run { try self.search(library, wanted) })
      }
    }
    api.get("photo") { request, _ in
      guard let photos = self.photos else { throw StudioError(.notFound, "There are no photos.") }
      return try photos.response(request.query("name") ?? "")
    }
  }

  private func search(
    _ library: PictureLibrary, _ wanted: SearchRequest
  ) throws -> SearchAnswer {
    let query = wanted.query
    // A photo may have gone since the last look at the folder.
    let results = try library.index().search(query).filter {
      FileManager.default.fileExists(atPath: $0.path)
    }
    library.refresh()
    return SearchAnswer(
      photos: results.compactMap { result in
        photos?.name(of: result.path).map { SearchAnswer.Photo(result, $0, query.weights) }
      }, status: library.status)
  }
}

extension SearchAnswer.Photo {
  fileprivate init(_ result: CompositionResult, _ name: String, _ weights: CompositionWeights) {
    let terms = result.match.terms
    self.init(
      name: name, width: result.width, height: result.height, cost: result.match.cost,
      terms: [
        .init(name: "presence", value: terms.presence, weight: weights.presence),
        .init(
          name: "relative position", value: terms.relativePosition,
          weight: weights.relativePosition),
        .init(name: "size", value: terms.size, weight: weights.size),
        .init(name: "relative size", value: terms.relativeSize, weight: weights.relativeSize),
      ], objects: result.detections.map(FoundObject.init))
  }
}
