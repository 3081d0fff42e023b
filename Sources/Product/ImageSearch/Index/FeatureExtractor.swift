/// An output of a model as a vector.
struct FeatureExtractor: Sendable {
  private let session: Result<Session, WeighbridgeError>
  private let input: String
  private let output: String
  private let resampling: Resampling?

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the model has inputs other than
  ///   the image.
  init(
    _ model: Model, output: String, options: DetectOptions
  ) throws(WeighbridgeError) {
    guard model.inputs.count == 1, let input = model.inputs.first else {
      let names = model.inputs.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
      throw .mismatch(
        "the model has \(model.inputs.count) inputs (\(names)), and only one is an image"
      )
    }
    self.input = input.name
    self.output = output
    resampling = options.resampling
    session = Result { () throws(WeighbridgeError) in try model.session(options.run) }
  }

  /// Returns the vector of an image.
  func features(of image: Image) throws(WeighbridgeError) -> [Float] {
    let session = try session.get()
    let tensor = try session.model.imageTensor(input, [image], resampling: resampling)
    return try features(in: try session.run([NamedTensor(name: input, tensor: tensor)]).outputs)
  }

  /// Returns the vector in outputs that were computed before.
  func features(in outputs: [NamedTensor]) throws(WeighbridgeError) -> [Float] {
    guard let tensor = outputs.first(where: { $0.name == output })?.tensor else {
      throw .mismatch("the model did not give its output \(output)")
    }
    let numbers = tensor.doubles.map { Float($0) }
    guard numbers.allSatisfy(\.isFinite) else {
      throw .malformed("the features (\(output)) hold NaN or infinite numbers")
    }
    return numbers
  }
}
