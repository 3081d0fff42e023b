import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension KerasImporter {
  /// Returns what can be inferred about unknown layers from the layers before them.
  static func survey(
    _ model: KerasModelRecord, writer: KerasProducer, weights: [String: [KerasLayer.Weight]]?,
    custom: CustomLayerPolicy, inputShapes: [InputShape]
  ) -> LayerSurvey {
    var custom = custom
    custom.keepsUnknown = true
    let stated = try? StatedShapes(inputShapes, inputs: inputNames(model))
    var importer = KerasImporter(
      model, writer: writer, weights: weights ?? [:], weightStorage: .objects, custom: custom,
      stated: stated ?? StatedShapes(), zerosLimit: weights == nil ? LayerSurvey.weightLimit : nil)
    importer.survey = LayerSurvey(version: writer.isVersionAssumed ? nil : writer.version)
    // When it fails, the survey has all that could be inferred.
    _ = try? importer.inline(model, path: "", inputs: nil)
    return importer.survey ?? LayerSurvey()
  }

  /// Adds an unknown layer as its stored code suggests, to infer the inputs of later layers; only
  /// for the survey.
  ///
  /// - Returns: `nil` when the code suggests nothing, and for other layers.
  mutating func addProposed(_ form: KerasLayerRecord, _ call: LayerCall) -> [ValueID]? {
    let isKnown = !call.inputs.contains { guesses[$0] != nil }
    let types = call.inputs.map { network.graph.type(of: $0) }
    if isKnown { survey?.inputs[call.name] = types }
    survey?.outputs[call.name] = call.stated()
    guard isKnown,
      let reading = LambdaProposal.reading(form, inputs: types, version: survey?.version)
    else { return nil }
    guard case .success(let plain) = reading else {
      survey?.add(reading, for: call.name)
      return nil
    }
    let savedNetwork = network
    var failure: WeighbridgeError?
    for proposal in [plain, plain.overruling] {
      do throws(WeighbridgeError) {
        let outputs = try build(.entry(try proposal.entry(call.name)), form, call)
        survey?.add(.success(proposal), for: call.name)
        return outputs
      } catch { failure = failure ?? error }
      network = savedNetwork
    }
    if let failure {
      survey?.add(
        .failure(PythonRefusal("was understood, and cannot be expressed: \(failure.reason)")),
        for: call.name)
    }
    return nil
  }
}
