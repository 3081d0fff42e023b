import HTTPTypes
import Hummingbird
import ImageSearch

/// A drawing.
private struct SketchRequest: Decodable, Sendable {
  /// For each stroke x and y in turn, in points from the upper left corner of the canvas.
  let strokes: [[Double]]
}

/// What a drawing may be.
private struct SketchAnswer: Encodable {
  struct Picture: Encodable {
    let name: String
    let distance: Double
  }

  struct Label: Encodable {
    let label: String
    let probability: Double
    let pictures: [Picture]
  }

  /// The strokes' box, into which a picture is put that replaces them.
  let box: SketchFrame.Rectangle
  let labels: [Label]
  /// How far looking at the pictures is; `nil` where there are none.
  let status: PictureLibrary.Status?
}

extension Studio {
  private static let labelCount = 4
  private static let pictureCount = 2

  /// `POST sketch?model=...`: strokes; the answer has the best labels, each with the pictures from its folder
  /// that are most like the drawing. `GET sketch-picture?name=...`: a picture.
  func addSketches(to api: RouterGroup<BasicRequestContext>) {
    api.post("sketch") { request, _ in
      let model = try self.shelf.model(request.query("model"))
      return try await self.modelQueue.admitting {
        let drawn = try await request.json(SketchRequest.self, UploadLimit(byteCount: 1 << 20))
        let sketch = try Sketch(drawn.strokes)
        return Response(json: try await self.modelQueue.run { try self.labels(of: sketch, model) })
      }
    }
    api.get("sketch-picture") { request, _ in
      guard let sketches = self.sketches else {
        throw StudioError(.notFound, "There are no pictures.")
      }
      return try sketches.response(request.query("name") ?? "")
    }
  }

  private func labels(of sketch: Sketch, _ model: StudioModel) throws -> SketchAnswer {
    guard case .classifier(let classifier) = model.tool else {
      throw StudioError(.unprocessableContent, "\(model.name) does not tell classes apart.")
    }
    let image = Image(sketch)
    let classes = try classifier.classify(image).prefix(Self.labelCount)
    let library = sketches == nil ? nil : try sketchLibrary(model)
    let ranking = try library.flatMap { try self.ranking(of: image, model, in: $0) }
    library?.refresh()
    let labels = classes.map { found in
      SketchAnswer.Label(
        label: found.name, probability: found.probability,
        pictures: pictures(of: found.name, in: ranking))
    }
    return SketchAnswer(box: SketchFrame(sketch).box, labels: labels, status: library?.status)
  }

  /// All pictures by their distance from a drawing; `nil` before they were looked at.
  private func ranking(
    of image: Image, _ model: StudioModel, in library: PictureLibrary
  ) throws -> FeatureTable.Ranking? {
    guard library.status.pictureCount != nil else { return nil }
    let features = try sketchAnalyzer(model).analyze(image).features ?? []
    return try library.featureTable().ranking(by: .cosine, from: features)
  }

  /// The nearest pictures of those in a label's folder.
  private func pictures(
    of label: String, in ranking: FeatureTable.Ranking?
  ) -> [SketchAnswer.Picture] {
    let pictures = (ranking?.matches ?? []).lazy.compactMap { match -> SketchAnswer.Picture? in
      guard let name = self.sketches?.name(of: match.path), name.hasPrefix("\(label)/") else {
        return nil
      }
      return SketchAnswer.Picture(name: name, distance: match.distance)
    }
    return Array(pictures.prefix(Self.pictureCount))
  }
}
