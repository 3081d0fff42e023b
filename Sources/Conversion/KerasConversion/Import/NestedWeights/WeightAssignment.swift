import Bytes
import GraphIR

/// Decides which weights of one list belong to which of several layers.
struct WeightAssignment {
  /// What decided where the architecture alone does not.
  enum Decision {
    /// The names, which contradict what the architecture says is frozen.
    case names
    /// The numbers in the names, if layers were created from the inside out.
    case numbers
    /// The numbers in the names, which are not those of the architecture, in their order.
    case renumbered
  }

  private let list: [KerasLayer.Weight]
  private let requests: [WeightRequest]
  private let owners: [WeightNames.Owner]
  /// The owner of each requested weight, in the order of the layers.
  private let ownerOfRequested: [Int]
  /// The index in ``requests`` of each owner's layer.
  private let requestOfOwner: [Int]
  private let names: WeightNames

  init(_ list: [KerasLayer.Weight], _ requests: [WeightRequest]) {
    var owners: [WeightNames.Owner] = []
    var (ownerOfRequested, requestOfOwner): ([Int], [Int]) = ([], [])
    for (index, request) in requests.enumerated() {
      let path = request.path.split(separator: "/")
      var ownerOfPart: [[WeightPart.Name]: Int] = [:]
      for weight in request.weights {
        let owner = ownerOfPart[weight.part.names] ?? owners.count
        if owner == owners.count {
          ownerOfPart[weight.part.names] = owner
          owners.append(WeightNames.Owner(path: path, part: weight.part, weights: []))
          requestOfOwner.append(index)
        }
        owners[owner].weights.append(weight)
        ownerOfRequested.append(owner)
      }
    }
    (self.list, self.requests, self.owners) = (list, requests, owners)
    (self.ownerOfRequested, self.requestOfOwner) = (ownerOfRequested, requestOfOwner)
    names = WeightNames(list.map { .init(name: $0.name, shape: $0.tensor.shape) }, owners)
  }

  /// The number of weights that all layers take together.
  var count: Int { ownerOfRequested.count }

  /// Returns the weights of each layer, in the order in which it takes them, and a decision where the
  /// architecture alone does not say whose they are.
  ///
  /// - Parameters:
  ///   - order: The orders that follow from what the architecture says is frozen.
  ///   - isOrderStored: Whether that was stored with the weights. Otherwise it may have changed.
  /// - Throws: ``WeighbridgeError/Code/malformed`` unless the names or the order decide.
  func result(
    _ order: WeightOrder, isOrderStored: Bool
  ) throws(WeighbridgeError) -> (weights: [[KerasLayer.Weight]], decision: Decision?) {
    guard owners.count > 1 else { return (weights([Int](repeating: 0, count: list.count)), nil) }
    let possible = order.candidates?.map { $0.map { ownerOfRequested[$0] } }
    let byName = names.assignment()
    let renumbered = names.renumberedAssignment()
    if let byName, names.nameOwners(byName, exactly: renumbered != nil) {
      let followsOrder = possible.map { $0.contains(byName) } ?? true
      return (weights(byName), followsOrder ? nil : .names)
    }
    let agreeing = Set([byName, renumbered].compactMap(\.self)).intersection(possible ?? [])
    if agreeing.count == 1, let only = agreeing.first { return (weights(only), nil) }
    if let renumbered, agreeing.isEmpty, !isOrderStored {
      return (weights(renumbered), .renumbered)
    }
    guard let possible else { throw undecided }
    let permitted = Set(possible.filter(names.permit))
    if permitted.isEmpty { throw contradiction(possible[0]) }
    if permitted.count == 1, let only = permitted.first {
      let isKnown = isOrderStored || names.nameOwners(only, exactly: false) || names.shapesDecide
      guard isKnown else { throw undecided }
      return (weights(only), nil)
    }
    let created = permitted.filter(names.followCreation)
    guard let only = created.first, created.count == 1 else { throw undecided }
    return (weights(only), .numbers)
  }

  static let namesBeforeOrder =
    "The names of its weights say which layers they belong to; by what its architecture says is "
    + "frozen, they would be in another order."
  static let numbersBeforeFlags =
    "Several layers in it have the same name, and the file does not say which of them were frozen. "
    + "Their weights are told apart by the numbers in the weights' names, as if the layers of an "
    + "inner model had been created before those around it."
  static let numbersInOrder =
    "The numbers in the names of its weights are not those of the layers in the architecture, and by "
    + "what that says is frozen the weights would be in another order. The numbers are taken in "
    + "ascending order, as if the same program had made both models."

  /// The weights of each layer, given the owner of each: one owner's in the order of the list.
  private func weights(_ assignment: [Int]) -> [[KerasLayer.Weight]] {
    var ofOwners = [[KerasLayer.Weight]](repeating: [], count: owners.count)
    for (weight, owner) in zip(list, assignment) { ofOwners[owner].append(weight) }
    var result = [[KerasLayer.Weight]](repeating: [], count: requests.count)
    for (request, weights) in zip(requestOfOwner, ofOwners) { result[request] += weights }
    return result
  }

  private func contradiction(_ assignment: [Int]) -> WeighbridgeError {
    guard let index = names.contradiction(of: assignment) else { return undecided }
    let layer = owners[assignment[index]].path.joined(separator: "/")
    return WeighbridgeError(
      .malformed,
      "is called \(list[index].name) and has the shape \(list[index].tensor.shape); the names of the "
        + "weights do not say which layer each belongs to, and in the order that follows from what is "
        + "frozen this one would be of the layer \(layer), which it does not fit"
    ).at(.path(list[index].path))
  }

  private var undecided: WeighbridgeError {
    let examples = list.prefix(3).map(\.name).joined(separator: ", ")
    return WeighbridgeError(
      .malformed,
      "its weights (\(examples), ...) are in an order that depends on what in it was frozen when they "
        + "were saved, and neither the file nor their names say that; the model saved as .keras has "
        + "each layer's weights by themselves")
  }
}
