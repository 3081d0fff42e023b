import GraphIR
import TestSupport
import Testing
import Vision
import Weighbridge

@Suite struct ClassifierTests {
  @Test("The probabilities of 200 sketches are those that Keras computed")
  func sketches() throws {
    var options = ClassifyOptions()
    options.top = nil
    let classifier = try Classifier(Sketches.model(), options: options)
    let recorded = try Sketches.recorded("probabilities")
    var rightCount = 0
    for (index, file) in try Sketches.files().enumerated() {
      let classes = try classifier.classify(Image(contentsOf: file))
      try #require(classes.count == 8)
      for found in classes {
        #expect(abs(found.probability - recorded[index][found.classIndex]) < 1e-5)
        #expect(found.label == Sketches.labels[found.classIndex])
      }
      #expect(zip(classes, classes.dropFirst()).allSatisfy { $0.probability >= $1.probability })
      if classes[0].classIndex == index % 8 { rightCount += 1 }
    }
    // Keras' own predictions; `record.py` printed the number.
    let kerasCount = recorded.enumerated().count { index, scores in
      scores.firstIndex(of: scores.max() ?? 0) == index % 8
    }
    #expect(rightCount == kerasCount && rightCount >= 180)
  }

  @Test(
    "The number of threads does not change the classes, and changes probabilities only by rounding")
  func threads() throws {
    let images = try Sketches.files().prefix(16).map { try Image(contentsOf: $0) }
    let answers = try [1, 2, 3].map { count in
      var options = ClassifyOptions()
      options.run.threads = count
      options.top = 1
      let classifier = try Classifier(Sketches.model(), options: options)
      return try images.flatMap { try classifier.classify($0) }
    }
    for others in answers.dropFirst() {
      #expect(others.map(\.classIndex) == answers[0].map(\.classIndex))
      for (other, first) in zip(others, answers[0]) {
        #expect(abs(other.probability - first.probability) < 1e-6)
      }
    }
  }

  @Test("The most probable classes above the threshold are returned, best first")
  func limits() throws {
    let image = try Image(contentsOf: "\(Sketches.folder)/picture.png")
    var options = ClassifyOptions()
    options.top = 2
    let two = try Classifier(Sketches.model(), options: options).classify(image)
    #expect(two.map(\.label) == ["star", "triangle"])
    options.threshold = 0.5
    #expect(try Classifier(Sketches.model(), options: options).classify(image).count == 1)
  }

  @Test("A center crop shows the model the centered square")
  func centerCrop() throws {
    let sketch = try Image(contentsOf: "\(Sketches.folder)/picture.png")
    // The sketch between two bars that a stretched image would show.
    var pixels: [UInt8] = []
    for row in 0..<64 {
      let bar = [UInt8](repeating: 200, count: 30 * 3)
      pixels += bar + sketch.pixels[row * 64 * 3..<(row + 1) * 64 * 3] + bar
    }
    let wide = Image(width: 124, height: 64, pixels: pixels)
    var options = ClassifyOptions()
    let plain = try Classifier(Sketches.model()).classify(sketch)
    #expect(try Classifier(Sketches.model()).classify(wide) != plain)
    options.resize = .centerCrop
    #expect(try Classifier(Sketches.model(), options: options).classify(wide) == plain)
    let cropping = try Sketches.model { $0.images[0].resize = .centerCrop }
    #expect(try Classifier(cropping).classify(wide) == plain)
  }

  @Test("Scores go through a softmax unless they are declared probabilities or log-probabilities")
  func scores() throws {
    let logits = [1.0, 2, 0.5]
    let softmax = [0.2312239, 0.6285317, 0.1402444]  // by SciPy 1.2.3
    try expect([.init(name: "scores", tensor: row(logits))], softmax, nil)
    try expect([.init(name: "scores", tensor: row(softmax))], softmax, .probabilities)
    let logarithms = [-1.4643688, -0.4643688, -1.9643688]
    try expect([.init(name: "scores", tensor: row(logarithms))], softmax, .logProbabilities)
  }

  @Test("Scores that contradict their kind are refused")
  func wrongScores() throws {
    let refused: [(scores: [Double], kind: ScoreKind?, code: WeighbridgeError.Code)] = [
      ([0.25, 0.5, 0.25], nil, .mismatch), ([3, 1, 2], .probabilities, .mismatch),
      ([.nan, 0, 0], nil, .malformed), ([1, 0, 0], .logProbabilities, .mismatch),
    ]
    for (scores, kind, code) in refused {
      let error = failure { try expect([.init(name: "scores", tensor: row(scores))], [], kind) }
      #expect(error?.code == code, "\(scores): \(error as Any)")
    }
  }

  @Test("An infinite score is an error, and -infinity a probability of 0")
  func infiniteScores() throws {
    let infinity = Double.infinity
    for kind in [nil, .probabilities, .logits, .logProbabilities] as [ScoreKind?] {
      let error = failure {
        try expect([.init(name: "scores", tensor: row([infinity, 0, 0.5]))], [], kind)
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason.hasPrefix("a score of a class is infinite") == true)
    }
    let impossible = failure {
      try expect(
        [.init(name: "scores", tensor: row([-infinity, -infinity, -infinity]))], [], .logits)
    }
    #expect(impossible?.code == .malformed)
    // exp(-inf) = 0
    try expect([.init(name: "scores", tensor: row([-infinity, 2, 2]))], [0, 0.5, 0.5], .logits)
    try expect(
      [.init(name: "scores", tensor: row([-infinity, 0, -infinity]))], [0, 1, 0],
      .logProbabilities)
  }

  private func row(_ numbers: [Double]) -> Tensor {
    Tensor(.float32, shape: [1, numbers.count], numbers)
  }

  /// Expects probabilities for the outputs of a network whose last layer is dense.
  private func expect(
    _ outputs: [NamedTensor], _ expected: [Double], _ kind: ScoreKind?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var options = ClassifyOptions()
    options.scores = kind
    options.top = nil
    let classifier = try Classifier(denseNetwork(), options: options)
    #expect(classifier.scores == kind ?? .logits, sourceLocation: sourceLocation)
    let classes = try classifier.classes(in: outputs).sorted { $0.classIndex < $1.classIndex }
    #expect(classes.count == expected.count, sourceLocation: sourceLocation)
    for (found, probability) in zip(classes, expected) {
      #expect(abs(found.probability - probability) < 1e-6, sourceLocation: sourceLocation)
    }
  }

  /// A model without an activation, with labels for three scores: no layer shows what kind of
  /// scores they are.
  private func denseNetwork() throws -> Model {
    var builder = GraphBuilder()
    let image = try builder.addInput("image", TensorType(.float32, [1, 1, 1, 3]))
    let graph = try builder.finish(outputs: [Port(name: "scores", value: image)])
    var model = try Sketches.model()
    model.content.graph = graph
    var description = ModelDescription(
      inputs: [.init(name: "image")], outputs: [.init(name: "scores")])
    description.inputs[0].image = ImageInput(
      colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: .channelsLast)
    description.labels = ["a", "b", "c"]
    model.content.description = description
    return model
  }

  @Test("A model that is not a classifier is refused, with the reason")
  func otherModels() throws {
    let features = try Sketches.model().cut(to: ["dense_1"])
    let vector = failure { _ = try Classifier(features) }
    #expect(vector?.code == .mismatch)
    #expect(vector?.reason.contains("its outputs dense_1, float32 [batch, 64]") == true)

    let blind = failure { _ = try Classifier(Sketches.model { $0.images = [] }) }
    #expect(blind?.code == .mismatch && blind?.reason.contains("how an image becomes") == true)

    var detector = try Model(contentsOf: Paths.sample("Models/shape-detector/shape-detector.h5"))
    var edit = DescriptionEdit()
    edit.images = [DescriptionEdit.Image(input: "input_1")]
    edit.labels = ["ellipse", "rectangle", "triangle"]
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    try detector.describe(edit)
    let boxes = failure { _ = try Classifier(detector) }
    #expect(boxes?.reason.contains("it detects objects of 3 classes") == true)
  }

  @Test("A sheet shows each image above its classes")
  func sheet() throws {
    var sheet = ContactSheet(count: 3)
    #expect(sheet.image == nil)
    let red = Image(
      width: 10, height: 5, pixels: (0..<50).flatMap { _ in [UInt8(255), 0, 0] })
    for name in ["one", "two", "three"] { sheet.add(red, [name, "a line"]) }
    let image = try #require(sheet.image)
    // Two columns and two rows of cells with a margin of 8 pixels.
    #expect(image.width == 2 * (sheet.side + 8) + 8)
    let redCount = stride(from: 0, to: image.pixels.count, by: 3).count {
      image.pixels[$0] == 255 && image.pixels[$0 + 1] == 0
    }
    #expect(redCount == 3 * sheet.side * sheet.side / 2)
  }
}
