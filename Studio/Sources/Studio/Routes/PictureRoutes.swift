import HTTPTypes
import Hummingbird
import ImageSearch

extension Studio {
  /// The most pixels of a picture that is sent.
  private static let imageLimits = ImageLimits(pixelCount: 50_000_000)

  /// `POST look?model=...`: a picture; the answer is what a detector or a classifier finds in it.
  /// `POST style?model=...`: a picture; the answer is the new one.
  func addPictures(to api: RouterGroup<BasicRequestContext>) {
    api.post("look") { request, _ in
      let model = try self.shelf.model(request.query("model"))
      return Response(json: try await self.work(on: request) { try model.findings(in: $0) })
    }
    api.post("style") { request, _ in
      let model = try self.shelf.model(request.query("model"))
      guard case .stylizer(let stylizer) = model.tool else {
        throw StudioError(.unprocessableContent, "\(model.name) does not make pictures.")
      }
      let bytes = try await self.work(on: request) {
        try stylizer.stylize($0).encoded(as: .png)
      }
      return Response(bytes, type: "image/png")
    }
  }

  /// Reads the picture that a request sends, and works on it.
  private func work<Result: Sendable>(
    on request: Request, _ body: @escaping @Sendable (Image) throws -> Result
  ) async throws -> Result {
    try await modelQueue.admitting {
      let bytes = try await request.bytes(options.pictureLimit)
      return try await modelQueue.run {
        try body(try Image(file: bytes, limits: Self.imageLimits))
      }
    }
  }
}

/// An object in a picture.
struct FoundObject: Encodable, Sendable {
  let label: String
  let confidence: Double
  /// The box in the unit square, from the upper left corner.
  let box: SketchFrame.Rectangle

  init(_ detection: Detection) {
    label = detection.label ?? "class \(detection.classIndex)"
    confidence = detection.confidence
    let box = detection.box.clipped
    self.box = .init(x: box.x, y: box.y, width: box.width, height: box.height)
  }
}

/// A class that a picture may show.
struct FoundClass: Encodable, Sendable {
  let label: String
  let probability: Double

  init(_ classification: Classification) {
    (label, probability) = (classification.name, classification.probability)
  }
}

/// What a model finds in a picture.
struct Findings: Encodable, Sendable {
  var objects: [FoundObject]?
  var classes: [FoundClass]?
}

extension StudioModel {
  fileprivate func findings(in image: Image) throws -> Findings {
    switch tool {
    case .detector(let detector):
      Findings(objects: try detector.detect(in: image).map(FoundObject.init))
    case .classifier(let classifier):
      Findings(classes: try classifier.classify(image).map(FoundClass.init))
    case .stylizer, .none:
      throw StudioError(
        .unprocessableContent, problem ?? "\(name) neither finds objects nor tells classes apart.")
    }
  }
}
